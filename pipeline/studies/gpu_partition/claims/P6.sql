/*
source: "Zahaf et al. 2021, Section 7.2, Figure 9"
statement: The heuristics based on best fit are faster than those based on SMS.
unit: yes/no
parts: {INA: yes, ACT: yes}
kind: yes_no
configuration: 50 tasks; time counted in tasks that the sums of the analysis go over, which is the same on every machine, over all utilisations; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: BF makes fewer tests, but takes the load of every union to sort its candidates. With the pre-pass it is faster, as printed. Without it many candidates are left to sort, and that outweighs the tests. In increasing order, which is printed too, or merged on, BF is faster without the pre-pass as well.
evidence: |
  SELECT sum(tests) FILTER (scheduler = 'bf') < sum(tests) FILTER (scheduler = 'sms') AND sum(steps) FILTER (scheduler = 'bf') > sum(steps) FILTER (scheduler = 'sms') AS holds,
    sum(tests) FILTER (scheduler = 'bf') / sum(tests) FILTER (scheduler = 'sms') AS tests_of_bf_over_sms, sum(steps) FILTER (scheduler = 'bf') / sum(steps) FILTER (scheduler = 'sms') AS steps_of_bf_over_sms,
    (SELECT sum(steps) FILTER (algorithm = 'BF-INA') / sum(steps) FILTER (algorithm = 'SMS-INA') FROM gpu_partition_claim WHERE setting = 'increasing order' AND tasks = 50) AS steps_in_increasing_order,
    (SELECT sum(steps) FILTER (algorithm = 'BF-INA') / sum(steps) FILTER (algorithm = 'SMS-INA') FROM gpu_partition_claim WHERE setting = 'merged to exhaustion' AND tasks = 50) AS steps_merged_on
  FROM gpu_partition_result WHERE setting = 'paper' AND kind = 'generated' AND tasks = 50 AND sms = 68 AND memory_share = 0.5 AND forbidden = 'inactive' AND scheduler IN ('bf', 'sms') AND sms_needed IS NOT NULL
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('bf', 'sms') AND tasks = 50
*/
WITH made AS (
    SELECT setting, replicate, algorithm, sum(steps) AS steps
    FROM gpu_partition_claim
    WHERE tasks = 50
    GROUP BY ALL
)
SELECT setting, right(sms.algorithm, 3) AS part, replicate, bf.steps < sms.steps AS value
FROM made AS sms JOIN made AS bf USING (setting, replicate)
WHERE sms.algorithm IN ('SMS-INA', 'SMS-ACT') AND bf.algorithm = replace(sms.algorithm, 'SMS', 'BF')
