/*
source: "thesis, Section 6.3.2"
statement: Starting from equal SMs, the dynamic method finds the split of the fairness metric within two passes in all cases.
unit: share of pairs in which it does
parts: {equal_throughput: always, equal_speedup: always, max_fair_throughput: always}
kind: always
configuration: all 21 pairs of Table 6's seven applications, a pair being a replicate; two-slope predictions, the target is the policy's split with all curves known; straight lines between the printed points (default), PCHIP, and every member of the ensemble of saturating curves
differs: Lines through the origin and to the point of each application alone underrate what is left to an application and what is gained. So max fair throughput stops too early in many pairs, the others in single ones.
evidence: |
  SELECT avg(found_in_two::INT) FILTER (policy = 'max_fair_throughput') < avg(found_in_two::INT) FILTER (policy <> 'max_fair_throughput') AS holds,
    count(*) FILTER (policy = 'max_fair_throughput' AND NOT found_in_two) AS pairs_missed_max_fair, count(*) FILTER (policy = 'equal_throughput' AND NOT found_in_two) AS equal_throughput,
    count(*) FILTER (policy = 'equal_speedup' AND NOT found_in_two) AS equal_speedup
  FROM gpu_sharing_dynamic
  WHERE applications = 2 AND sms = 16 AND gamma = 0 AND initial = 'equal' AND trace = 'thesis_table_6' AND family = 'mixes/thesis_table_6' AND interpolation = 'linear'
    AND policy IN ('equal_throughput', 'equal_speedup', 'max_fair_throughput')
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
    AND (trace = 'thesis_table_6' AND family = 'mixes/thesis_table_6' OR member IS NOT NULL)
