-- What the partitions of generated sets of 50 tasks hold at utilisations above 35.
-- setting: default, or increasing order, merged to exhaustion
-- algorithm: SMS or BF with INA or ACT, as the paper names them
-- replicate: number of the set
-- utilisation: sum of work / period [SMs]
-- partition: number of the partition in its set
-- memory: memory-intensive tasks in it [1]
-- compute: compute-intensive tasks in it [1]
CREATE VIEW gpu_partition_content AS
SELECT
    CASE setting WHEN 'paper' THEN 'default' ELSE setting END AS setting,
    upper(result.scheduler) || CASE result.forbidden WHEN 'act' THEN '-ACT' ELSE '-INA' END AS algorithm, batch AS replicate,
    utilisation, partition, count(*) FILTER (task.kind = 'memory') AS memory,
    count(*) FILTER (task.kind = 'compute') AS compute
FROM gpu_partition_result AS result
JOIN outcome_gpu_partition USING (scenario_id)
JOIN scenario USING (scenario_id)
JOIN task_gpu_partition AS task USING (taskset_id, task_id)
WHERE result.kind = 'generated' AND result.sms = 68 AND memory_share = 0.5 AND tasks = 50
    AND setting IN ('paper', 'increasing order, merged to exhaustion')
    AND result.scheduler IN ('bf', 'sms') AND utilisation > 35 AND partition IS NOT NULL
GROUP BY setting, result.scheduler, result.forbidden, batch, utilisation, partition;
