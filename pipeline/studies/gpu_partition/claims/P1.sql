/*
source: "Zahaf et al. 2021, Section 7.2, Figure 5"
statement: Below a utilisation of 35 all heuristics reach 100 % schedulability with 50 tasks, and so does 1G.
unit: yes/no
parts: {SMS-INA: 1, SMS-ACT: 1, BF-INA: 1, BF-ACT: 1, 1G: 1}
kind: yes_no
configuration: the set is schedulable at every utilisation below 35; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: 1G loses its first task sets at a utilisation of 32, where the paper's figure, in steps of 2, has the fall begin at 35; the four heuristics agree.
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND scheduler IN ('one_gpu', 'bf', 'sms') AND tasks = 50 AND utilisation < 35
*/
SELECT setting, algorithm AS part, replicate, min(schedulable) = 1 AS value
FROM gpu_partition_claim
WHERE tasks = 50 AND utilisation < 35
GROUP BY ALL
