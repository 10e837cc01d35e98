-- Tests of schedulability against the utilisation (paper, Figure 9, which shows seconds): means over the sets that have an
-- allocation, on 68 SMs.
-- tasks: tasks of a set
-- utilisation: sum of work / period [SMs]
-- scheduler: scheduler
-- forbidden: inactive (the paper's INA) or act (ACT)
-- sets: task sets with an allocation [1]
-- tests: mean tests of schedulability [1]
-- tests_lo: lower end of its 95 % interval [1]
-- tests_hi: upper end [1]
CREATE VIEW fig_gpu_partition_9 AS
SELECT tasks, utilisation, scheduler, forbidden, allocated AS sets, tests, tests_lo, tests_hi
FROM gpu_partition_point
WHERE tasks IN (50, 200) AND sms = 68 AND memory_share = 0.5 AND setting = 'paper' AND allocated > 0
    AND scheduler <> 'one_gpu'
ORDER BY tasks, scheduler, forbidden, utilisation;
