/*
source: "Zahaf et al. 2021, Section 7.2, Figure 6"
statement: The average number of partitions of 50 tasks is around 25, hence two tasks a partition.
unit: partitions
parts: {SMS-INA: 25, SMS-ACT: 25, BF-INA: 25, BF-ACT: 25}
digit: 1
kind: value
configuration: 50 tasks; mean over all utilisations, of the sets that have an allocation; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: Not by Algorithm 1 as printed. It stops when the partitions fit, so nothing is merged where the load is low. Section 7 must have merged on. If we do so in increasing order, which is printed too, about 23 partitions come out.
evidence: |
  SELECT avg(partitions) FILTER (setting = 'default' AND utilisation < 20) > 35 AND avg(partitions) FILTER (setting = 'increasing order, merged to exhaustion') BETWEEN 22.5 AND 27.5 AS holds,
    avg(partitions) FILTER (setting = 'default' AND utilisation < 20) AS below_20, avg(partitions) FILTER (setting = 'default' AND utilisation >= 46) AS from_46,
    avg(partitions) FILTER (setting = 'increasing order, merged to exhaustion') AS merged_on
  FROM gpu_partition_claim WHERE tasks = 50 AND algorithm <> '1G'
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('bf', 'sms') AND tasks = 50
*/
SELECT setting, algorithm AS part, replicate, avg(partitions) AS value
FROM gpu_partition_claim
WHERE tasks = 50 AND algorithm <> '1G'
GROUP BY ALL
