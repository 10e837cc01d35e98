/*
source: "Zahaf et al. 2021, Section 7.2, Figures 6 and 8"
statement: With 200 tasks the heuristics are farther from the lower bound than with 50.
unit: yes/no
parts: {SMS-INA: 1, SMS-ACT: 1, BF-INA: 1, BF-ACT: 1}
kind: yes_no
configuration: mean over the utilisations above 35 (those of the sets of 200 tasks) of the workload between its bounds; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('bf', 'sms') AND tasks IN (50, 200) AND utilisation > 35
*/
SELECT
    setting, algorithm AS part, replicate,
    avg(excess) FILTER (tasks = 200) > avg(excess) FILTER (tasks = 50) AS value
FROM gpu_partition_claim
WHERE tasks IN (50, 200) AND algorithm <> '1G' AND utilisation > 35
    AND utilisation IN (SELECT utilisation FROM gpu_partition_claim WHERE tasks = 200 AND setting = 'default')
GROUP BY ALL
HAVING count(excess) FILTER (tasks = 200) > 0 AND count(excess) FILTER (tasks = 50) > 0
