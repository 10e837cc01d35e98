-- How to share a GPU: the scheduler with the best mean throughput (geometric over batches, of applications / makespan), ties to
-- the simpler one (recommend). Slate splits the SMs equally, reads Table I as printed and has tasks of 10 blocks; optimal, which
-- tries everything, is not asked. Kernels have the documented parameters.
-- study: study
-- trace: published, or the trace that the kernels come from
-- question: what is to be run, in words
-- setting: size of the machine, in words
-- scheduler: scheduler to use
-- metric: what value is
-- value: throughput over that of CUDA, less one: geometric mean over batches [1]
-- lo: lower end of its 95 % interval; null for one replicate [as value]
-- hi: upper end; null for one replicate [as value]
-- runner_up: best of the others
-- margin: what the recommended one gains over the runner-up, as a share; below 0: a tie that went to the simpler one [1]
-- margin_lo: lower end of its paired 95 % interval; null for one replicate [1]
-- margin_hi: upper end; null for one replicate [1]
-- margin_kind: relative: a share of the runner-up's
-- tied: whether runner_up and the recommended one are a tie, of which the simpler one is recommended; null = not known (recommend)
-- replicates: independent batches [1]
-- origin: published, or of the trace: measured on a machine, or generated
-- kind: pair, drawn or queue
-- pair: names of the two; null for queues
-- arrival: queued, poisson or traced
-- load: offered load of Poisson arrivals [1]
-- applications: applications [1]
-- sms: SMs of the GPU [1]
-- gpu: card that classes and bandwidth are of; null = not named
-- gpu_origin: where its numbers come from: published, stated, looked_up (by its name), measured (largest rates of its kernels)
--   or assumed
-- loop_origin: where the lengths of the loops come from: published, stated (repetitions), measured (profiles of whole runs) or
--   assumed (the paper's 30 s); the least certain of them
-- caution: why the answer says little, in a sentence; null = nothing to say
-- corun_share: share of batches in which it runs any two side by side [1]
-- best_mean: scheduler with the best mean; another than the recommended one where the two are a tie
-- best_split: split of the SMs with which Slate has the best mean throughput, of those that were replayed
-- best_antt: scheduler with the least standard average normalised turnaround time
CREATE VIEW recommended_gpu_corun AS
WITH mean AS (
    SELECT
        question, scheduler, complexity, avg(antt) AS antt, avg(corun::INT) AS corun_share
    FROM score_gpu_corun JOIN scheduler USING (study, scheduler)
    GROUP BY ALL
),
means AS (
    SELECT *, first_value(scheduler) OVER (PARTITION BY question ORDER BY round(antt, 9), complexity) AS best_antt FROM mean
),
asked AS (
    SELECT
        question, study, trace, kind, pair, arrival, load, applications, sms, gpu, gpu_origin,
        arg_max(loop_origin, list_position(['published', 'stated', 'measured', 'assumed'], loop_origin)) AS loop_origin,
        min(loop_share) AS loop_share
    FROM score_gpu_corun
    GROUP BY ALL
),
split_mean AS (
    SELECT
        coalesce(trace, 'published') AS trace, kind, pair, arrival, load, applications, sms, gpu, gpu_origin,
        split AS best_split, avg(ln(applications / makespan_s)) AS throughput
    FROM gpu_corun_result
    WHERE machine IS NULL AND scheduler = 'slate' AND symmetry = 'printed' AND task_size = 10 AND NOT cached
    GROUP BY ALL
),
best_split AS (
    SELECT * EXCLUDE (throughput)
    FROM split_mean
    QUALIFY row_number() OVER (
        PARTITION BY trace, kind, pair, arrival, load, applications, sms, gpu, gpu_origin
        ORDER BY throughput DESC, list_position(['equal', 'saturate', 'best'], best_split)
    ) = 1
)
SELECT
    asked.study, asked.trace,
    concat_ws(', ', coalesce(asked.pair, asked.kind), asked.arrival, 'load ' || asked.load, asked.applications || ' applications')
        AS question,
    asked.sms || ' SMs' AS setting, answer.scheduler, 'throughput over cuda, less one' AS metric,
    exp(score) - 1 AS value, exp(score_lo) - 1 AS lo, exp(score_hi) - 1 AS hi,
    runner_up, exp(difference) - 1 AS margin, exp(difference_lo) - 1 AS margin_lo, exp(difference_hi) - 1 AS margin_hi,
    'relative' AS margin_kind, tied, answer.replicates,
    coalesce(trace.kind, 'published') AS origin, asked.kind, asked.pair, asked.arrival, asked.load, asked.applications, asked.sms,
    asked.gpu, asked.gpu_origin, loop_origin,
    CASE
        WHEN loop_share < 0.5 THEN 'Loops are too short: an application spends more time in its set-up than in its loop, so '
            || 'who shares the GPU hardly matters. Profile longer runs, or state repetitions.'
    END AS caution,
    corun_share, best_mean, best_split, best_antt
FROM recommend('gpu_corun') AS answer
JOIN asked USING (question)
JOIN means ON means.question = answer.question AND means.scheduler = answer.scheduler
LEFT JOIN trace ON trace.trace = asked.trace
LEFT JOIN best_split ON (best_split.trace, best_split.kind, best_split.applications, best_split.sms)
    = (asked.trace, asked.kind, asked.applications, asked.sms)
    AND best_split.pair IS NOT DISTINCT FROM asked.pair AND best_split.arrival IS NOT DISTINCT FROM asked.arrival
    AND best_split.load IS NOT DISTINCT FROM asked.load AND best_split.gpu IS NOT DISTINCT FROM asked.gpu
    AND best_split.gpu_origin IS NOT DISTINCT FROM asked.gpu_origin
ORDER BY asked.kind, asked.trace, asked.arrival, asked.load, asked.applications, asked.pair;
