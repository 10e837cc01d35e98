-- How to launch a task set: partitions side by side on the SMs, of the simplest scheduler that schedules the set with the
-- options of the paper. Sets that none schedules have no rows.
-- taskset: task set
-- trace_id: trace that the tasks come from; null for generated ones
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
WITH chosen AS (
    SELECT result.scenario_id, scenario.taskset_id, result.trace_id, result.sms, result.scheduler
    FROM gpu_partition_result AS result
    JOIN scenario USING (scenario_id)
    JOIN scheduler ON scheduler.study = 'gpu_partition' AND scheduler.scheduler = result.scheduler
    WHERE schedulable = 1 AND setting = 'paper' AND result.forbidden = 'inactive'
    QUALIFY row_number() OVER (PARTITION BY scenario.taskset_id, result.sms ORDER BY simplicity) = 1
),
partitions AS (
    SELECT
        chosen.taskset_id, trace_id, chosen.sms, scheduler, partition,
        any_value(partition_sms) AS partition_sms,
        list(task_id ORDER BY task_id) AS tasks,
        count(*) FILTER (kind = 'compute') AS compute_tasks,
        count(*) FILTER (kind = 'memory') AS memory_tasks,
        count(*) FILTER (conflict) AS conflicting_tasks,
        count(*) FILTER (partition_sms < least_sms) AS extrapolated_tasks,
        sum(execution_time / period ORDER BY task_id) AS utilisation
    FROM chosen
    JOIN outcome_gpu_partition USING (scenario_id)
    JOIN task_gpu_partition USING (taskset_id, task_id)
    GROUP BY ALL
)
SELECT
    taskset_id AS taskset, trace_id, sms, scheduler, partition, partition_sms,
    (sum(partition_sms) OVER side_by_side)::BIGINT - partition_sms AS first_sm,
    (sum(partition_sms) OVER side_by_side)::BIGINT - 1 AS last_sm,
    tasks, compute_tasks, memory_tasks, conflicting_tasks, extrapolated_tasks, utilisation
FROM partitions
WINDOW side_by_side AS (PARTITION BY taskset_id, sms ORDER BY partition)
ORDER BY trace_id NULLS LAST, taskset, sms, partition;
