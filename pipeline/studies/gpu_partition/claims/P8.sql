/*
source: "Zahaf et al. 2021, Section 7.2, Figure 6"
statement: 1G always schedules the worst load, the heuristics reduce it to near the minimum.
unit: yes/no
parts: {SMS-INA: yes, SMS-ACT: yes, BF-INA: yes, BF-ACT: yes, 1G: always}
kind: yes_no
configuration: 50 tasks; over the utilisations above 35 the workload between its bounds, for the heuristics in the mean at most a quarter from the lower one, for 1G at 99 % or more in each set; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper, of minimum values, too
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('one_gpu', 'bf', 'sms') AND tasks = 50 AND utilisation > 35
*/
WITH threshold (share, named) AS (VALUES (0.25, NULL), (0.1, 'minimum up to a tenth'), (0.33, 'minimum up to a third'))
SELECT
    coalesce(named, setting) AS setting, algorithm AS part, replicate,
    CASE algorithm WHEN '1G' THEN min(excess) >= 0.99 ELSE avg(excess) <= any_value(share) END AS value
FROM gpu_partition_claim CROSS JOIN threshold
WHERE tasks = 50 AND utilisation > 35 AND (named IS NULL OR setting = 'default')
GROUP BY coalesce(named, setting), algorithm, replicate
