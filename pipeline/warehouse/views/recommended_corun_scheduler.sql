-- How to share a GPU: the scheduler with the best mean throughput (geometric over batches, of applications / makespan), ties of
-- the paired 95 % interval over batches to the simpler one, as far as the means differ by at most 1 % (with fewer than five
-- batches, where an interval says little: 0.1 %). Slate splits the SMs equally, reads Table I as printed and has tasks of 10 blocks;
-- optimal, which tries everything, is not asked. Kernels have the documented parameters.
-- study: study
-- kernels: published, or the trace that the kernels come from
-- origin: published, or of the trace: measured on a machine, or generated
-- kind: pair, drawn or queue
-- pair: names of the two; null for queues
-- arrival: queued, poisson or traced
-- load: offered load of Poisson arrivals [1]
-- applications: applications [1]
-- sms: streaming multiprocessors [1]
-- gpu: card that classes and bandwidth are of; null = not named
-- gpu_origin: where its numbers come from: published, stated, looked_up (by its name), measured (largest rates of its kernels)
-- or assumed
-- loop_origin: where the lengths of the loops come from: published, stated (repetitions), measured (profiles of whole runs) or
-- assumed (the paper's 30 s); the least certain of them
-- caution: why the answer says little, in a sentence; null = nothing to say
-- scheduler: scheduler to use
-- gain_over_cuda: its throughput over that of CUDA, less one [1]
-- corun_share: share of batches in which it runs any two side by side [1]
-- best_mean: scheduler with the best mean; another than the recommended one where the two are a tie
-- margin: throughput of the recommended scheduler over that of the best of the others, less one [1]
-- margin_lo: lower end of its 95 % interval over batches; null for one batch [1]
-- margin_hi: upper end; null for one batch [1]
-- runner_up: best of the others
-- best_split: split of the SMs with which Slate has the best mean throughput, of those that were replayed
-- best_antt: scheduler with the least standard average normalised turnaround time
-- batches: independent batches [1]
-- tied: whether runner_up and the recommended one are a tie (tie_bound)
CREATE VIEW recommended_corun_scheduler AS
WITH ran AS (
    SELECT
        hash(coalesce(trace_id, ''), kind, pair, arrival, load, applications, sms, gpu, gpu_origin) AS question,
        coalesce(trace_id, 'published') AS kernels, kind, pair, arrival, load, applications, sms, batch, scheduler,
        gpu, gpu_origin, loop_origin, loop_share, split, ln(applications / makespan_s) AS throughput, gain_over_cuda, antt, corun
    FROM gpu_corun_result
    WHERE machine IS NULL AND kind <> 'alone' AND scheduler <> 'optimal' AND symmetry = 'printed' AND task_size = 10
),
asked AS (
    SELECT
        question, kernels, kind, pair, arrival, load, applications, sms, gpu, gpu_origin,
        arg_max(loop_origin, list_position(['published', 'stated', 'measured', 'assumed'], loop_origin)) AS loop_origin,
        min(loop_share) AS loop_share
    FROM ran
    GROUP BY ALL
),
split_mean AS (
    SELECT question, split, avg(throughput) AS throughput FROM ran WHERE scheduler = 'slate' GROUP BY ALL
),
best_split AS (
    SELECT question, split
    FROM split_mean
    QUALIFY row_number() OVER (
        PARTITION BY question ORDER BY throughput DESC, list_position(['equal', 'saturate', 'best'], split)
    ) = 1
),
candidate AS (
    SELECT * FROM ran WHERE split = 'equal'
),
mean AS (
    SELECT
        question, scheduler, simplicity, avg(throughput) AS throughput, avg(gain_over_cuda) AS gain_over_cuda,
        avg(antt) AS antt, avg(corun::INT) AS corun_share, count(*) AS batches
    FROM candidate JOIN scheduler USING (scheduler)
    WHERE study = 'gpu_corun'
    GROUP BY ALL
),
means AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY question ORDER BY throughput DESC, simplicity) AS place,
        first_value(scheduler) OVER (PARTITION BY question ORDER BY throughput DESC, simplicity) AS best_mean,
        first_value(scheduler) OVER (PARTITION BY question ORDER BY antt, simplicity) AS best_antt
    FROM mean
),
paired AS (
    SELECT
        a.question, a.scheduler, b.scheduler AS other,
        avg(a.throughput - b.throughput) AS difference,
        any_value(t) * stddev_samp(a.throughput - b.throughput) / sqrt(count(*)) AS half,
        tie_bound(half, count(*)) AS tie
    FROM candidate AS a
    JOIN candidate AS b USING (question, batch)
    JOIN (SELECT question, scheduler, batches FROM mean) AS size
        ON size.question = a.question AND size.scheduler = a.scheduler
    LEFT JOIN student_t ON replicates = batches
    GROUP BY ALL
),
recommended AS (
    SELECT means.*
    FROM means
    JOIN paired
        ON paired.question = means.question AND paired.scheduler = best_mean AND paired.other = means.scheduler
    WHERE difference <= tie
    QUALIFY row_number() OVER (PARTITION BY means.question ORDER BY simplicity, place) = 1
),
runner_up AS (
    SELECT means.question, means.scheduler
    FROM means JOIN recommended USING (question)
    WHERE means.scheduler <> recommended.scheduler
    QUALIFY row_number() OVER (PARTITION BY means.question ORDER BY means.place) = 1
)
SELECT
    'gpu_corun' AS study, kernels, coalesce(trace.kind, 'published') AS origin, asked.kind, pair, arrival, load, applications, sms,
    gpu, gpu_origin, loop_origin,
    CASE
        WHEN loop_share < 0.5 THEN 'Loops are too short: an application spends more time in its set-up than in its loop, so '
            || 'who shares the GPU hardly matters. Profile longer runs, or state repetitions.'
    END AS caution,
    recommended.scheduler,
    gain_over_cuda,
    corun_share,
    best_mean,
    exp(difference) - 1 AS margin,
    exp(difference - half) - 1 AS margin_lo,
    exp(difference + half) - 1 AS margin_hi,
    runner_up.scheduler AS runner_up,
    best_split.split AS best_split,
    best_antt,
    batches,
    difference <= tie AS tied
FROM recommended
JOIN asked USING (question)
LEFT JOIN trace ON trace_id = kernels
LEFT JOIN best_split USING (question)
LEFT JOIN runner_up USING (question)
LEFT JOIN paired
    ON paired.question = recommended.question AND paired.scheduler = recommended.scheduler
    AND paired.other = runner_up.scheduler
ORDER BY asked.kind, kernels, arrival, load, applications, pair;
