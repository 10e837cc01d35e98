/*
source: "Zahaf et al. 2021, Section 7.2, Figure 8"
statement: With 200 tasks there are more than 4 tasks a partition on average.
unit: yes/no
parts: {SMS-INA: yes, SMS-ACT: yes, BF-INA: yes, BF-ACT: yes}
kind: yes_no
configuration: 200 tasks; mean over all utilisations, of the sets that have an allocation; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: Not by Algorithm 1 as printed, which stops when the partitions fit. So run, there are about three tasks a partition. Section 7 must have merged on. If we do so in increasing order, which is printed too, there are seven in the mean over all loads, 36 at a load of 2 and two to three above 30.
evidence: |
  SELECT avg(tasks_per_partition) FILTER (setting = 'default') < 4 AND avg(tasks_per_partition) FILTER (setting = 'increasing order, merged to exhaustion') > 4
    AND avg(tasks_per_partition) FILTER (setting = 'increasing order, merged to exhaustion' AND utilisation > 30) BETWEEN 2 AND 3 AS holds,
    avg(tasks_per_partition) FILTER (setting = 'default') AS tasks_a_partition, avg(tasks_per_partition) FILTER (setting = 'increasing order, merged to exhaustion') AS merged_on,
    avg(tasks_per_partition) FILTER (setting = 'increasing order, merged to exhaustion' AND utilisation > 30) AS merged_on_above_30,
    avg(tasks_per_partition) FILTER (setting = 'increasing order, merged to exhaustion' AND utilisation = 2) AS merged_on_at_2
  FROM gpu_partition_claim WHERE tasks = 200 AND algorithm <> '1G'
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('bf', 'sms') AND tasks = 200
*/
SELECT setting, algorithm AS part, replicate, avg(tasks_per_partition) > 4 AS value
FROM gpu_partition_claim
WHERE tasks = 200 AND algorithm <> '1G'
GROUP BY ALL
