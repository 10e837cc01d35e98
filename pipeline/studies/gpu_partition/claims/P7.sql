/*
source: "Zahaf et al. 2021, Section 7.2, Figure 6"
statement: The average number of partitions of 50 tasks is around 25, hence two tasks a partition.
unit: partitions
parts: {SMS-INA: 25, SMS-ACT: 25, BF-INA: 25, BF-ACT: 25}
digit: 1
kind: value
configuration: 50 tasks; mean over all utilisations, of the sets that have an allocation; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: Where the load is low the tasks fit in partitions of their own and nothing is merged; from a utilisation of 46 on there are about 25 partitions.
evidence: |
  SELECT avg(partitions) FILTER (utilisation < 20) > 35 AND avg(partitions) FILTER (utilisation >= 46) BETWEEN 22.5 AND 27.5 AS holds,
    avg(partitions) FILTER (utilisation < 20) AS below_20, avg(partitions) FILTER (utilisation >= 46) AS from_46
  FROM gpu_partition_claim WHERE setting = 'default' AND tasks = 50 AND algorithm <> '1G'
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('bf', 'sms') AND tasks = 50
*/
SELECT setting, algorithm AS part, replicate, avg(partitions) AS value
FROM gpu_partition_claim
WHERE tasks = 50 AND algorithm <> '1G'
GROUP BY ALL
