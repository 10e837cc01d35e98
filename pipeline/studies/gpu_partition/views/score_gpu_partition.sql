-- What recommends a scheduler in gpu_partition: the share of schedulable task sets. Options as in the paper, without its pre-pass; a scheduler that
-- was not tried on all sets is not compared.
-- study: study
-- question: number of the question
-- workload: family of task sets: a trace's own, or drawn ones of one size and utilisation (generated, or of SM curves)
-- trace: trace that the tasks come from; null for generated ones
-- tasks: tasks of a set
-- utilisation: sum of work / period [SMs]
-- sms: SMs of the GPU
-- scheduler: scheduler
-- replicate: task set
-- drawn: whether replicates are drawn at random
-- score: 1 where the set is schedulable, else 0 [1]
-- sms_needed: SMs of its partitions; null where it is not schedulable [SMs]
-- sets: task sets [1]
CREATE VIEW score_gpu_partition AS
WITH ran AS (
    SELECT
        workload, trace, tasks, utilisation, sms, scheduler, batch::VARCHAR AS replicate, schedulable AS score,
        CASE WHEN schedulable = 1 THEN sms_needed END AS sms_needed
    FROM gpu_partition_result
    WHERE setting = 'paper' AND forbidden = 'inactive' AND schedulable IS NOT NULL
),
asked AS (
    SELECT workload, sms, any_value(trace) AS trace, any_value(tasks) AS tasks, any_value(utilisation) AS utilisation,
        count(DISTINCT replicate) AS sets
    FROM ran
    GROUP BY ALL
)
SELECT
    'gpu_partition' AS study, hash(workload, sms) AS question, workload, asked.trace, asked.tasks, asked.utilisation, sms,
    scheduler, replicate, workload NOT LIKE 'dropped/%' AS drawn, score, sms_needed, sets
FROM ran JOIN asked USING (workload, sms)
QUALIFY count(*) OVER (PARTITION BY workload, sms, scheduler) = sets;
