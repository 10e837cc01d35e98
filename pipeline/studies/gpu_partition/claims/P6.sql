/*
source: "Zahaf et al. 2021, Section 7.2, Figure 9"
statement: The heuristics based on best fit are faster than those based on SMS.
unit: yes/no
parts: {INA: 1, ACT: 1}
kind: yes_no
configuration: 50 tasks; tests of schedulability over all utilisations; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND scheduler IN ('bf', 'sms') AND tasks = 50
*/
WITH made AS (
    SELECT setting, replicate, algorithm, sum(tests) AS total
    FROM gpu_partition_claim
    WHERE tasks = 50
    GROUP BY ALL
)
SELECT setting, right(sms.algorithm, 3) AS part, replicate, bf.total < sms.total AS value
FROM made AS sms JOIN made AS bf USING (setting, replicate)
WHERE sms.algorithm IN ('SMS-INA', 'SMS-ACT') AND bf.algorithm = replace(sms.algorithm, 'SMS', 'BF')
