/*
source: "Zahaf et al. 2021, Section 7.2, Figure 6"
statement: Most of the time each partition holds a single memory-intensive and a single compute-intensive task.
unit: yes/no
parts: {SMS-INA: yes, SMS-ACT: yes, BF-INA: yes, BF-ACT: yes}
kind: yes_no
configuration: 50 tasks; more than half of the partitions have exactly one task of each kind, over the utilisations above 35 of the sets that have an allocation; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; a setting merges on in increasing order
differs: Not by Algorithm 1 as printed. It stops when the partitions fit, so more than half of them hold a single task. Section 7 must have merged on. If we do so in increasing order, more than half hold one task of each kind.
evidence: |
  SELECT avg((memory + compute = 1)::INT) FILTER (setting = 'default') > 0.5 AND avg((memory = 1 AND compute = 1)::INT) FILTER (setting = 'increasing order, merged to exhaustion') > avg((memory = 1 AND compute = 1)::INT) FILTER (setting = 'default') AS holds,
    avg((memory = 1 AND compute = 1)::INT) FILTER (setting = 'default') AS one_of_each, avg((memory + compute = 1)::INT) FILTER (setting = 'default') AS alone,
    avg((memory = 1 AND compute = 1)::INT) FILTER (setting = 'increasing order, merged to exhaustion') AS merged_on_one_of_each
  FROM gpu_partition_content
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('bf', 'sms') AND tasks = 50 AND utilisation > 35 AND setting IN ('paper', 'increasing order, merged to exhaustion')
*/
SELECT setting, algorithm AS part, replicate, avg((memory = 1 AND compute = 1)::INT) > 0.5 AS value
FROM gpu_partition_content
GROUP BY ALL
