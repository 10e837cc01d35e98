-- How to launch a task set: partitions side by side on the SMs, of the simplest scheduler that schedules the set with the
-- options of the paper. Sets that none schedules have no rows.
-- taskset: task set
-- trace: trace that the tasks come from; null for generated ones
-- sms: SMs of the GPU
-- scheduler: scheduler that the partitions are of
-- partition: partition, numbered from 0
-- partition_sms: its SMs
-- first_sm: first of its SMs, numbered from 0
-- last_sm: last of its SMs
-- tasks: tasks that run in it, by EDF
-- compute_tasks: tasks of them that are of the compute kind [1]
-- memory_tasks: tasks of the memory kind [1]
-- conflicting_tasks: tasks that have another of their kind beside them [1]
-- extrapolated_tasks: tasks of measured curves that were not measured on so few SMs [1]
-- utilisation: sum of execution time / period, the conflicts included [1]
CREATE VIEW gpu_partition_launch AS
WITH partitions AS (
    SELECT
        taskset, trace, sms, scheduler, partition,
        any_value(partition_sms) AS partition_sms,
        list(task_id ORDER BY task_id) AS tasks,
        count(*) FILTER (kind = 'compute') AS compute_tasks,
        count(*) FILTER (kind = 'memory') AS memory_tasks,
        count(*) FILTER (conflict) AS conflicting_tasks,
        count(*) FILTER (extrapolated) AS extrapolated_tasks,
        sum(utilisation ORDER BY task_id) AS utilisation
    FROM gpu_partition_placement
    GROUP BY ALL
)
SELECT
    taskset, trace, sms, scheduler, partition, partition_sms,
    (sum(partition_sms) OVER side_by_side)::BIGINT - partition_sms AS first_sm,
    (sum(partition_sms) OVER side_by_side)::BIGINT - 1 AS last_sm,
    tasks, compute_tasks, memory_tasks, conflicting_tasks, extrapolated_tasks, utilisation
FROM partitions
WINDOW side_by_side AS (PARTITION BY taskset, sms ORDER BY partition)
ORDER BY trace NULLS LAST, taskset, sms, partition;
