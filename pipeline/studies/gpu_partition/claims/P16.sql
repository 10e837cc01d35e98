/*
source: "Zahaf et al. 2021, Section 7.2, Figure 6"
statement: Most of the time each partition holds a single memory-intensive and a single compute-intensive task.
unit: yes/no
parts: {SMS-INA: yes, SMS-ACT: yes, BF-INA: yes, BF-ACT: yes}
kind: yes_no
configuration: 50 tasks; more than half of the partitions have exactly one task of each kind, over the utilisations above 35 of the sets that have an allocation; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation
differs: More than half of the partitions hold a single task, as merging ends as soon as the partitions fit the SMs.
evidence: |
  SELECT avg((memory + compute = 1)::INT) > 0.5 AS holds, avg((memory = 1 AND compute = 1)::INT) AS one_of_each,
    avg((memory + compute = 1)::INT) AS alone
  FROM gpu_partition_content
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('bf', 'sms') AND tasks = 50 AND utilisation > 35 AND setting = 'paper'
*/
SELECT 'default' AS setting, algorithm AS part, replicate, avg((memory = 1 AND compute = 1)::INT) > 0.5 AS value
FROM gpu_partition_content
GROUP BY ALL
