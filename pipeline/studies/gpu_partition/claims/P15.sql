/*
source: "Zahaf et al. 2021, Abstract and Section 7.2, Figure 5"
statement: Partitioning is efficient against the GPU as one resource; under high load every heuristic schedules more sets of 50 tasks than 1G.
headline: partitions schedule more task sets than one GPU
unit: points of schedulability
parts: {SMS-INA: more, SMS-ACT: more, BF-INA: more, BF-ACT: more}
kind: more
configuration: 50 tasks; share of the utilisations above 35 at which the sets of a number are schedulable, less that of 1G; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('one_gpu', 'bf', 'sms') AND tasks = 50 AND utilisation > 35
*/
WITH held AS (
    SELECT setting, replicate, algorithm, avg(schedulable) AS share
    FROM gpu_partition_claim
    WHERE tasks = 50 AND utilisation > 35
    GROUP BY ALL
)
SELECT setting, ours.algorithm AS part, replicate, ours.share - whole.share AS value
FROM held AS ours JOIN held AS whole USING (setting, replicate)
WHERE whole.algorithm = '1G' AND ours.algorithm <> '1G'
