/*
source: "thesis, Section 6.3.2"
statement: Starting from equal SMs, the dynamic method finds the split of the fairness metric within two passes in all cases.
unit: share of pairs in which it does
parts: {equal_throughput: 1, equal_speedup: 1, max_fair_throughput: 1}
kind: yes_no
configuration: all 21 pairs of Table 6's seven applications, a pair being a replicate; two-slope predictions, the target is the policy's split with all curves known; straight lines between the printed points (default), PCHIP, and every member of the ensemble of saturating curves
differs: Lines through the origin and to the point of each application alone underrate what is left to an application and what is gained, so that max fair throughput stops at equal shares in nine of the 21 pairs.
scenarios: gpu_sharing_result WHERE applications = 2 AND sms = 16 AND gamma = 0 AND (initial = 'equal' OR NOT "dynamic") AND policy IN ('equal_throughput', 'equal_speedup', 'max_fair_throughput') AND (family = 'mixes/thesis_table_6' OR member IS NOT NULL)
*/
SELECT
    CASE
        WHEN member IS NOT NULL THEN format('member {:03d}', member)
        WHEN interpolation = 'linear' THEN 'default'
        ELSE interpolation
    END AS setting,
    policy AS part, mix AS replicate, found_in_two AS value
FROM gpu_sharing_dynamic
WHERE applications = 2 AND sms = 16 AND gamma = 0 AND initial = 'equal'
    AND policy IN ('equal_throughput', 'equal_speedup', 'max_fair_throughput')
    AND (trace_id = 'thesis_table_6' AND family = 'mixes/thesis_table_6' OR member IS NOT NULL)
