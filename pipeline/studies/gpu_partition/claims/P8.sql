/*
source: "Zahaf et al. 2021, Section 7.2, Figure 6"
statement: 1G always schedules the worst load, the heuristics reduce it to near the minimum.
unit: yes/no
parts: {SMS-INA: 1, SMS-ACT: 1, BF-INA: 1, BF-ACT: 1, 1G: 1}
kind: yes_no
configuration: 50 tasks; mean over the utilisations above 35 of the workload between its bounds, at most a quarter from the lower one, 1G at least at 99 %; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND scheduler IN ('one_gpu', 'bf', 'sms') AND tasks = 50 AND utilisation > 35
*/
SELECT
    setting, algorithm AS part, replicate,
    CASE algorithm WHEN '1G' THEN avg(excess) >= 0.99 ELSE avg(excess) <= 0.25 END AS value
FROM gpu_partition_claim
WHERE tasks = 50 AND utilisation > 35
GROUP BY setting, algorithm, replicate
