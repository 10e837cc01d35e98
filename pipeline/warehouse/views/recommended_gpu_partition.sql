-- Which scheduler to partition a GPU with: the largest share of schedulable task sets of a family, ties of the paired 95 %
-- interval over sets to the simpler one, as far as the shares differ by at most 1 % (with fewer than five sets: not at
-- all). Options as in the paper, without its pre-pass. Null where no scheduler holds any set.
-- study: study
-- workload: family of task sets: a trace's own, or drawn ones of one size and utilisation (generated, or of SM curves)
-- trace_id: trace that the tasks come from; null for generated ones
-- origin: of the trace: measured on a machine, or generated; synthetic where there is none
-- tasks: tasks of a set
-- utilisation: sum of work / period [SMs]
-- sms: SMs of the GPU
-- scheduler: scheduler to use
-- schedulable: share of sets that it schedules [1]
-- best: scheduler with the largest share; another than the recommended one where the two are a tie
-- margin: its share less that of the best of the others [1]
-- margin_lo: lower end of its paired 95 % interval; null for one set [1]
-- margin_hi: upper end; null for one set [1]
-- runner_up: best of the others
-- sms_needed: mean SMs of its partitions, over the sets that it schedules [SMs]
-- sms_least: mean of the fewest SMs that any scheduler needs for a set, merging to exhaustion among them; 1G left out [SMs]
-- sms_spare: SMs of the GPU less that [SMs]
-- sets: task sets [1]
-- tied: whether runner_up and the recommended one are a tie (tie_bound)
CREATE VIEW recommended_gpu_partition AS
WITH ran AS (
    SELECT
        workload, trace_id, tasks, utilisation, sms, batch, scheduler, simplicity, schedulable,
        CASE WHEN schedulable = 1 THEN sms_needed END AS sms_needed
    FROM gpu_partition_result JOIN scheduler USING (scheduler)
    WHERE study = 'gpu_partition' AND setting = 'paper' AND forbidden = 'inactive' AND schedulable IS NOT NULL
),
asked AS (
    SELECT workload, sms, any_value(trace_id) AS trace_id, any_value(tasks) AS tasks,
        any_value(utilisation) AS utilisation, count(DISTINCT batch) AS sets
    FROM ran
    GROUP BY ALL
),
mean AS (
    SELECT workload, sms, scheduler, simplicity, avg(schedulable) AS schedulable, avg(sms_needed) AS sms_needed
    FROM ran JOIN asked USING (workload, sms)
    GROUP BY ALL
    -- A scheduler that was not tried on all sets is not compared.
    HAVING count(*) = any_value(sets)
),
means AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY workload, sms ORDER BY schedulable DESC, simplicity) AS place,
        first_value(scheduler) OVER (PARTITION BY workload, sms ORDER BY schedulable DESC, simplicity) AS best
    FROM mean
),
paired AS (
    SELECT
        a.workload, a.sms, a.scheduler, b.scheduler AS other,
        avg(a.schedulable - b.schedulable) AS difference,
        any_value(t) * stddev_samp(a.schedulable - b.schedulable) / sqrt(count(*)) AS half,
        tie_bound(half, count(*), few := 0) AS tie
    FROM ran AS a
    JOIN ran AS b USING (workload, sms, batch)
    JOIN asked ON asked.workload = a.workload AND asked.sms = a.sms
    LEFT JOIN student_t ON replicates = sets
    GROUP BY ALL
),
recommended AS (
    SELECT means.*
    FROM means
    JOIN paired
        ON paired.workload = means.workload AND paired.sms = means.sms
        AND paired.scheduler = best AND paired.other = means.scheduler
    WHERE difference <= tie AND means.schedulable > 0
    QUALIFY row_number() OVER (PARTITION BY means.workload, means.sms ORDER BY simplicity, place) = 1
),
fewest AS (
    SELECT workload, sms, avg(sms_needed) AS sms_least
    FROM (
        SELECT workload, sms, batch, min(sms_needed) AS sms_needed
        FROM gpu_partition_result
        WHERE setting IN ('paper', 'merged to exhaustion') AND schedulable = 1 AND scheduler <> 'one_gpu'
        GROUP BY ALL
    )
    GROUP BY ALL
),
runner_up AS (
    SELECT means.workload, means.sms, means.scheduler
    FROM means JOIN recommended USING (workload, sms)
    WHERE means.scheduler <> recommended.scheduler
    QUALIFY row_number() OVER (PARTITION BY means.workload, means.sms ORDER BY means.place) = 1
)
SELECT
    'gpu_partition' AS study, asked.workload, asked.trace_id, coalesce(trace.kind, 'synthetic') AS origin, tasks, utilisation,
    asked.sms,
    recommended.scheduler, coalesce(recommended.schedulable, 0) AS schedulable, recommended.best,
    difference AS margin, difference - half AS margin_lo, difference + half AS margin_hi,
    runner_up.scheduler AS runner_up,
    recommended.sms_needed, sms_least, asked.sms - sms_least AS sms_spare,
    sets,
    difference <= tie AS tied
FROM asked
LEFT JOIN trace ON trace.trace_id = asked.trace_id
LEFT JOIN recommended ON recommended.workload = asked.workload AND recommended.sms = asked.sms
LEFT JOIN fewest ON fewest.workload = asked.workload AND fewest.sms = asked.sms
LEFT JOIN runner_up ON runner_up.workload = asked.workload AND runner_up.sms = asked.sms
LEFT JOIN paired
    ON paired.workload = asked.workload AND paired.sms = asked.sms AND paired.scheduler = recommended.scheduler
    AND paired.other = runner_up.scheduler
ORDER BY asked.trace_id NULLS LAST, tasks, utilisation, asked.workload, asked.sms;
