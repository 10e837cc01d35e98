/*
source: "Zahaf et al. 2021, Section 7.2, Figure 9"
statement: The heuristics based on best fit are faster than those based on SMS.
unit: yes/no
parts: {INA: yes, ACT: yes}
kind: yes_no
configuration: 50 tasks; time counted in tasks that the sums of the analysis go over, which is the same on every machine, over all utilisations; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: BF makes fewer tests, but takes the load of every union to sort its candidates; without the pre-pass, where many are left to sort, that outweighs the tests.
evidence: |
  SELECT sum(tests) FILTER (scheduler = 'bf') < sum(tests) FILTER (scheduler = 'sms') AND sum(steps) FILTER (scheduler = 'bf') > sum(steps) FILTER (scheduler = 'sms') AS holds,
    sum(tests) FILTER (scheduler = 'bf') / sum(tests) FILTER (scheduler = 'sms') AS tests_of_bf_over_sms, sum(steps) FILTER (scheduler = 'bf') / sum(steps) FILTER (scheduler = 'sms') AS steps_of_bf_over_sms
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
