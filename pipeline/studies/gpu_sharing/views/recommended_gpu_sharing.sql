-- Which policy to split the SMs of a GPU by: the largest system speed-up (geometric mean over the mixes) among the policies that
-- slow no application down on average (least speed-up, geometric mean), ties to the simpler one (recommend). The policy that would
-- be fastest whatever it does to an application stands beside it.
-- study: study
-- trace: trace that the curves come from, or ensemble
-- question: what is to be run, in words
-- setting: size of the machine, in words
-- scheduler: policy to use
-- metric: what value is
-- value: system speed-up, geometric mean over the mixes [1]
-- lo: lower end of its 95 % interval; null for one replicate [as value]
-- hi: upper end; null for one replicate [as value]
-- runner_up: best of the others
-- margin: what the recommended one gains over the runner-up, as a share; below 0: a tie that went to the simpler one [1]
-- margin_lo: lower end of its paired 95 % interval; null for one replicate [1]
-- margin_hi: upper end; null for one replicate [1]
-- margin_kind: relative: a share of the runner-up's
-- tied: whether runner_up and the recommended one are a tie, of which the simpler one is recommended; null = not known (recommend)
-- replicates: independent replicates: members of an ensemble, else mixes [1]
-- origin: measured on a machine, generated, or synthetic (the ensemble)
-- kind: mixes (all or drawn) or stated (by a trace)
-- applications: applications a mix [1]
-- sms: SMs of the GPU [1]
-- mixes: mixes that the means are over [1]
-- least_speedup: speed-up of the application that gains least, geometric mean over the mixes [1]
-- fastest: policy with the largest system speed-up of all
-- fastest_speedup: its system speed-up [1]
-- fastest_least_speedup: what it leaves to the application that gains least [1]
CREATE VIEW recommended_gpu_sharing AS
WITH mean AS (
    SELECT
        study, question, trace, kind, applications, sms, scheduler, complexity, avg(score) AS score, avg(least) AS least,
        sum(mixes)::BIGINT AS mixes
    FROM gpu_sharing_speedup JOIN scheduler USING (study, scheduler)
    GROUP BY ALL
),
fastest AS (
    SELECT question, scheduler, score, least
    FROM mean
    QUALIFY row_number() OVER (PARTITION BY question ORDER BY round(score, 9) DESC, complexity) = 1
)
SELECT
    study, mean.trace, mean.kind || ', ' || applications || ' applications' AS question, sms || ' SMs' AS setting,
    answer.scheduler, 'system_speedup' AS metric,
    exp(answer.score) AS value, exp(score_lo) AS lo, exp(score_hi) AS hi,
    runner_up, exp(difference) - 1 AS margin, exp(difference_lo) - 1 AS margin_lo, exp(difference_hi) - 1 AS margin_hi,
    'relative' AS margin_kind, tied, replicates,
    coalesce(trace.kind, 'synthetic') AS origin, mean.kind, applications, sms, mixes, exp(mean.least) AS least_speedup,
    fastest.scheduler AS fastest, exp(fastest.score) AS fastest_speedup, exp(fastest.least) AS fastest_least_speedup
FROM recommend('gpu_sharing') AS answer
JOIN mean USING (question, scheduler)
JOIN fastest USING (question)
LEFT JOIN trace ON trace.trace = mean.trace
ORDER BY mean.trace, mean.kind, applications, sms;
