/*
source: "Zahaf et al. 2021, Section 7.2, Figure 6"
statement: The average number of partitions of 50 tasks is around 25, hence two tasks a partition.
unit: partitions
parts: {SMS-INA: 25, SMS-ACT: 25, BF-INA: 25, BF-ACT: 25}
digit: 1
kind: value
configuration: 50 tasks; mean over the utilisations above 35 of the sets that have an allocation; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND scheduler IN ('bf', 'sms') AND tasks = 50 AND utilisation > 35
*/
SELECT setting, algorithm AS part, replicate, avg(partitions) AS value
FROM gpu_partition_claim
WHERE tasks = 50 AND utilisation > 35 AND algorithm <> '1G'
GROUP BY ALL
