/*
source: "Zahaf et al. 2021, Section 7.2, Figure 8"
statement: With 200 tasks there are more than 4 tasks a partition on average.
unit: yes/no
parts: {SMS-INA: yes, SMS-ACT: yes, BF-INA: yes, BF-ACT: yes}
kind: yes_no
configuration: 200 tasks; mean over all utilisations, of the sets that have an allocation; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: Heuristics merge only until the partitions fit the 68 SMs, as Algorithm 1 says; whether the paper merged on is not known.
evidence: |
  SELECT avg(tasks_per_partition) < 4 AS holds, avg(tasks_per_partition) AS tasks_a_partition, avg(partitions) AS partitions
  FROM gpu_partition_claim WHERE setting = 'default' AND tasks = 200 AND algorithm <> '1G'
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('bf', 'sms') AND tasks = 200
*/
SELECT setting, algorithm AS part, replicate, avg(tasks_per_partition) > 4 AS value
FROM gpu_partition_claim
WHERE tasks = 200 AND algorithm <> '1G'
GROUP BY ALL
