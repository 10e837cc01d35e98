/*
source: "thesis, Section 6.2, Figure 15a"
statement: Max fair throughput keeps every application at cooperative multitasking or above.
unit: yes/no
paper_value: 1
kind: yes_no
configuration: least speed-up of the pair with the split that the policy chooses on the card's curves alone, linear between their points; a replicate is a pair of kernels; the thesis says it of means over pairs
*/
SELECT trace, mix AS replicate, least_speedup >= 1 - 1e-9 AS value
FROM gpu_sharing_result
WHERE trace IN (SELECT trace FROM gpu_card_kernel) AND kind = 'mixes' AND applications = 2 AND NOT "dynamic"
    AND gamma = 0 AND interpolation = 'linear' AND policy = 'max_fair_throughput'
