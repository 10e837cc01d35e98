/*
source: "Zahaf et al. 2021, Section 7.2, Figure 8"
statement: With 200 tasks there are more than 4 tasks a partition on average.
unit: yes/no
parts: {SMS-INA: 1, SMS-ACT: 1, BF-INA: 1, BF-ACT: 1}
kind: yes_no
configuration: 200 tasks; mean over the utilisations above 35 of the sets that have an allocation; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: Heuristics merge only until the partitions fit the 68 SMs; they then keep 63 to 82 partitions of the 200 tasks, and why the paper has fewer is not known.
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND scheduler IN ('bf', 'sms') AND tasks = 200 AND utilisation > 35
*/
SELECT setting, algorithm AS part, replicate, avg(tasks_per_partition) > 4 AS value
FROM gpu_partition_claim
WHERE tasks = 200 AND utilisation > 35 AND algorithm <> '1G'
GROUP BY ALL
