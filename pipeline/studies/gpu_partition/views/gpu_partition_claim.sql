-- What the claims on generated task sets are judged on: 68 SMs, half of the tasks of the memory kind. The number of a set is
-- the replicate; the sets of one number at different utilisations are independent draws. 1G does not merge, so its results
-- stand in the settings that differ in merging only.
-- setting: default (the paper's options as read here), or the options that differ
-- replicate: number of the set
-- tasks: tasks of a set
-- utilisation: sum of work / period [SMs]
-- algorithm: 1G, or SMS or BF with INA or ACT, as the paper names them
-- schedulable: 1 where all deadlines hold [1]
-- partitions: partitions; null without an allocation [1]
-- tasks_per_partition: tasks a partition; null without an allocation [1]
-- excess: scheduled workload between its bounds, 0 no conflicts, 1 all of them; null without an allocation [1]
-- scheduled_workload: sum of C(1)/T with conflicts; null without an allocation [SMs]
-- steps: tasks that the sums of the analysis went over; null without an allocation [1]
CREATE VIEW gpu_partition_claim AS
WITH run AS (
    SELECT
        CASE setting WHEN 'paper' THEN 'default' ELSE setting END AS setting, batch AS replicate, tasks, utilisation,
        CASE scheduler
            WHEN 'one_gpu' THEN '1G'
            ELSE upper(scheduler) || CASE forbidden WHEN 'act' THEN '-ACT' ELSE '-INA' END
        END AS algorithm,
        schedulable, partitions, tasks_per_partition, excess, scheduled_workload,
        CASE WHEN sms_needed IS NOT NULL THEN steps END AS steps
    FROM gpu_partition_result
    WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND scheduler IN ('one_gpu', 'bf', 'sms')
        -- What the paper names as further cases (Sections 5.5 and 8) is no reading of what it evaluates.
        AND setting NOT IN ('deadline-monotonic', 'mig sizes')
),
merging AS (
    SELECT DISTINCT
        setting,
        coalesce(nullif(array_to_string(list_filter(string_split(setting, ', '), lambda part: part NOT IN (
            'increasing order', 'pairs of partitions forbidden', 'merged to exhaustion', 'binary search'
        )), ', '), ''), 'default') AS same_but_for_merging
    FROM run
)
FROM run
UNION ALL BY NAME
SELECT run.* REPLACE (merging.setting AS setting)
FROM run JOIN merging ON run.setting = same_but_for_merging
WHERE merging.setting <> run.setting AND algorithm = '1G';
