/*
source: "thesis, Section 6.3.2"
statement: Starting from equal SMs, the dynamic method finds the split of the fairness metric within two passes.
unit: yes/no
paper_value: 1
kind: always
configuration: equal throughput, equal speed-up and max fair throughput on the card's curves, linear between their points, against the split with all curves known; a replicate is a pair of kernels and a policy
*/
SELECT trace, mix || ' ' || policy AS replicate, found_in_two AS value
FROM gpu_sharing_dynamic
WHERE trace IN (SELECT trace FROM gpu_card_kernel) AND starts_with(family, 'mixes/') AND applications = 2
    AND gamma = 0 AND initial = 'equal' AND interpolation = 'linear'
    AND policy IN ('equal_throughput', 'equal_speedup', 'max_fair_throughput')
