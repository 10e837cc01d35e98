/*
source: "Zahaf et al. 2021, Section 7.2, Figure 6"
statement: BF schedules more load than SMS.
unit: yes/no
parts: {INA: 1, ACT: 1}
kind: yes_no
configuration: 50 tasks; mean workload over the utilisations above 35 at which both have an allocation; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: "The two schedule almost the same load: in the mean they differ by about a tenth of an SM in either direction; why the paper sees a difference is not known."
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND scheduler IN ('bf', 'sms') AND tasks = 50 AND utilisation > 35
*/
SELECT
    setting, right(sms.algorithm, 3) AS part, replicate, avg(bf.scheduled_workload - sms.scheduled_workload) > 0 AS value
FROM gpu_partition_claim AS sms JOIN gpu_partition_claim AS bf USING (setting, replicate, tasks, utilisation)
WHERE tasks = 50 AND utilisation > 35 AND sms.scheduled_workload IS NOT NULL AND bf.scheduled_workload IS NOT NULL
    AND sms.algorithm IN ('SMS-INA', 'SMS-ACT') AND bf.algorithm = replace(sms.algorithm, 'SMS', 'BF')
GROUP BY ALL
