-- Workload that is scheduled, sum of C(1)/T with the conflicts of the allocation, against the utilisation of sets of 50
-- tasks, between its bounds (paper, Figure 6); means over the sets that have an allocation, on 68 SMs.
-- utilisation: sum of work / period [SMs]
-- scheduler: scheduler
-- forbidden: inactive (the paper's INA) or act (ACT)
-- sets: task sets with an allocation [1]
-- scheduled_workload: mean [SMs]
-- scheduled_workload_lo: lower end of its 95 % interval [SMs]
-- scheduled_workload_hi: upper end [SMs]
-- workload_lower: mean without conflicts [SMs]
-- workload_upper: mean with all conflicts [SMs]
-- partitions: mean number of partitions [1]
-- tasks_per_partition: mean of tasks over partitions [1]
CREATE VIEW fig_gpu_partition_6 AS
SELECT
    utilisation, scheduler, forbidden, allocated AS sets, scheduled_workload, scheduled_workload_lo,
    scheduled_workload_hi, workload_lower, workload_upper, partitions, tasks_per_partition
FROM gpu_partition_point
WHERE tasks = 50 AND sms = 68 AND memory_share = 0.5 AND setting = 'paper' AND allocated > 0
ORDER BY scheduler, forbidden, utilisation;
