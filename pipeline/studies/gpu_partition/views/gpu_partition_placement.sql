-- Where each task of a set goes: in the partitions of the simplest scheduler that schedules the set with the options of the
-- paper. Sets that none schedules have no rows.
-- taskset: task set
-- trace: trace that the tasks come from; null for generated ones
-- sms: SMs of the GPU
-- scheduler: scheduler that the partitions are of
-- partition: partition, numbered from 0
-- partition_sms: its SMs
-- task_id: task
-- kind: compute or memory
-- conflict: whether another task of its kind is in the partition
-- execution_time: execution time there, a conflict included [unit of time of the set]
-- period: least time between two releases [unit of time of the set]
-- utilisation: execution time / period [1]
-- extrapolated: whether its application was not measured on so few SMs; null = it was not measured at all
CREATE VIEW gpu_partition_placement AS
WITH chosen AS (
    SELECT result.scenario_id, scenario.taskset_id, result.trace, result.sms, result.scheduler
    FROM gpu_partition_result AS result
    JOIN scenario USING (scenario_id)
    JOIN scheduler ON scheduler.study = 'gpu_partition' AND scheduler.scheduler = result.scheduler
    WHERE schedulable = 1 AND setting = 'paper' AND result.forbidden = 'inactive'
    QUALIFY row_number() OVER (PARTITION BY scenario.taskset_id, result.sms ORDER BY complexity) = 1
)
SELECT
    taskset_id AS taskset, trace, chosen.sms, scheduler, partition, partition_sms, task_id, kind, conflict,
    execution_time, period, execution_time / period AS utilisation, partition_sms < least_sms AS extrapolated
FROM chosen
JOIN outcome_gpu_partition USING (scenario_id)
JOIN task_gpu_partition USING (taskset_id, task_id)
ORDER BY trace NULLS LAST, taskset, chosen.sms, partition, task_id;
