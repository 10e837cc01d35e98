/*
source: "Zahaf et al. 2021, Section 7.2, Figure 5b"
statement: With the exhaustive list of forbidden pairs (ACT) the performance is slightly lower.
unit: yes/no
parts: {'SMS, not better': 1, 'BF, not better': 1, 'SMS, slightly': 1, 'BF, slightly': 1}
kind: yes_no
configuration: 50 tasks; number of utilisations above 35 at which the set is schedulable; slightly is a difference of at most two of them; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND scheduler IN ('bf', 'sms') AND tasks = 50 AND utilisation > 35
*/
WITH held AS (
    SELECT setting, replicate, algorithm, sum(schedulable) AS points
    FROM gpu_partition_claim
    WHERE tasks = 50 AND utilisation > 35
    GROUP BY ALL
),
compared AS (
    SELECT setting, replicate, replace(act.algorithm, '-ACT', '') AS rule, ina.points - act.points AS lost
    FROM held AS act JOIN held AS ina USING (setting, replicate)
    WHERE act.algorithm IN ('SMS-ACT', 'BF-ACT') AND ina.algorithm = replace(act.algorithm, 'ACT', 'INA')
)
SELECT setting, rule || ', not better' AS part, replicate, lost >= 0 AS value FROM compared
UNION ALL
SELECT setting, rule || ', slightly', replicate, abs(lost) <= 2 FROM compared
