-- How many more SMs each heuristic needs than any partitions have to: against the optimum of sets of up to 12 tasks, against
-- a lower bound of larger ones. Over the sets that the optimum fits on the GPU, or that the bound does not rule out.
-- workload: family of task sets
-- trace: trace that the tasks come from; null for generated ones
-- tasks: tasks of a set
-- utilisation: sum of work / period [SMs]
-- sms: SMs of the GPU
-- setting: paper (merging ends as soon as the partitions fit) or merged to exhaustion
-- scheduler: heuristic
-- exact: whether the optimum is known, not a bound only
-- sets: task sets with partitions, whether these fit or not [1]
-- schedulable: share of them that the heuristic fits on the GPU; the optimum fits all, the bound rules none out [1]
-- sms_needed: mean SMs of its partitions [SMs]
-- sms_lower: mean of the optimum, or of the bound [SMs]
-- gap: mean of sms_needed / sms_lower, less 1 [1]
-- gap_lo: lower end of its 95 % interval; null for one set [1]
-- gap_hi: upper end; null for one set [1]
CREATE VIEW gpu_partition_gap AS
WITH least AS (
    SELECT workload, batch, sms, sms_lower, sms_needed IS NOT NULL AS exact
    FROM gpu_partition_result
    WHERE scheduler = 'optimal' AND setting = 'paper' AND sms_lower <= sms + 1e-6
),
means AS (
    SELECT
        result.workload, result.trace, result.tasks, result.utilisation, result.sms, result.setting, result.scheduler,
        bool_and(exact) AS exact,
        count(*) AS sets,
        avg(result.schedulable) AS schedulable,
        avg(result.sms_needed) AS sms_needed,
        avg(least.sms_lower) AS sms_lower,
        avg(result.sms_needed / least.sms_lower - 1) AS gap,
        stddev_samp(result.sms_needed / least.sms_lower) / sqrt(count(*)) AS error
    FROM gpu_partition_result AS result
    JOIN least USING (workload, batch, sms)
    WHERE result.sms_needed IS NOT NULL AND result.scheduler NOT IN ('one_gpu', 'optimal')
        AND result.setting IN ('paper', 'merged to exhaustion') AND result.forbidden = 'inactive'
    GROUP BY ALL
)
SELECT
    workload, trace, tasks, utilisation, sms, setting, scheduler, exact, sets, schedulable, sms_needed, sms_lower, gap,
    gap - t * error AS gap_lo, gap + t * error AS gap_hi
FROM means LEFT JOIN student_t ON replicates = sets
ORDER BY trace NULLS LAST, tasks, utilisation, workload, sms, setting, scheduler;
