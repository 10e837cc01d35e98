-- Share of task sets of 200 tasks that are schedulable against their utilisation (paper, Figure 7), on 68 SMs, half of the
-- tasks of the memory kind.
-- utilisation: sum of work / period [SMs]
-- scheduler: scheduler
-- forbidden: inactive (the paper's INA) or act (ACT)
-- sets: task sets [1]
-- schedulable: share in which all deadlines hold [1]
-- schedulable_lo: lower end of its 95 % interval (Wilson) [1]
-- schedulable_hi: upper end [1]
CREATE VIEW fig_gpu_partition_7 AS
SELECT utilisation, scheduler, forbidden, sets, schedulable, schedulable_lo, schedulable_hi
FROM gpu_partition_point
WHERE tasks = 200 AND sms = 68 AND memory_share = 0.5 AND setting = 'paper'
ORDER BY scheduler, forbidden, utilisation;
