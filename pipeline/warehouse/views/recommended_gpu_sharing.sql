-- Which policy to split the SMs of a GPU by: the largest system speed-up (geometric mean over the mixes) among the policies that
-- slow no application down on average (least speed-up, geometric mean), ties of the paired 95 % interval over mixes (over members of an ensemble) to the simpler one. The policy that would be
-- fastest whatever it does to an application stands beside it.
-- study: study
-- source: trace that the curves come from, or ensemble
-- origin: measured on a machine, generated, or synthetic (the ensemble)
-- kind: mixes (all or drawn) or stated (by a trace)
-- applications: applications a mix [1]
-- sms: SMs of the GPU [1]
-- mixes: mixes that the means are over [1]
-- scheduler: policy to use
-- system_speedup: its system speed-up, geometric mean over the mixes [1]
-- least_speedup: speed-up of the application that gains least, likewise [1]
-- runner_up: best of the others that slow none down on average; null where there is none
-- margin: its system speed-up over that of the runner-up [1]
-- margin_lo: lower end of the 95 % interval over mixes or members; null for one [1]
-- margin_hi: upper end; null for one [1]
-- fastest: policy with the largest system speed-up of all
-- fastest_speedup: its system speed-up [1]
-- fastest_least_speedup: what it leaves to the application that gains least [1]
-- replicates: independent replicates: members of an ensemble, else mixes [1]
-- tied: whether runner_up and the recommended one are a tie (tie_bound)
CREATE VIEW recommended_gpu_sharing AS
WITH ran AS (
    SELECT
        coalesce(trace_id, 'ensemble') AS source, kind, applications, sms, scheduler,
        -- Members of an ensemble are independent, the mixes of one are not: a member is the mean over its mixes.
        coalesce('member ' || member, mix) AS replicate,
        avg(ln(system_speedup)) AS speedup, avg(ln(greatest(least_speedup, 1e-9))) AS least, count(*) AS mixes
    FROM gpu_sharing_result
    WHERE NOT "dynamic" AND gamma = 0 AND interpolation = 'linear'
    GROUP BY ALL
),
mean AS (
    SELECT
        source, kind, applications, sms, scheduler, simplicity, avg(speedup) AS speedup, avg(least) AS least,
        sum(mixes)::BIGINT AS mixes, count(*) AS replicates
    FROM ran JOIN scheduler USING (scheduler)
    WHERE study = 'gpu_sharing'
    GROUP BY ALL
),
fair AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY source, kind, applications, sms ORDER BY speedup DESC, simplicity) AS place,
        first_value(scheduler) OVER (PARTITION BY source, kind, applications, sms ORDER BY speedup DESC, simplicity)
            AS best_mean
    FROM mean
    WHERE least > ln(1 - 1e-9)
),
paired AS (
    SELECT
        a.source, a.kind, a.applications, a.sms, a.scheduler, b.scheduler AS other,
        avg(a.speedup - b.speedup) AS difference,
        any_value(t) * stddev_samp(a.speedup - b.speedup) / sqrt(count(*)) AS half,
        tie_bound(half, count(*)) AS tie
    FROM ran AS a
    JOIN ran AS b USING (source, kind, applications, sms, replicate)
    JOIN (SELECT DISTINCT source, kind, applications, sms, replicates FROM mean) AS size
        USING (source, kind, applications, sms)
    LEFT JOIN student_t USING (replicates)
    GROUP BY ALL
),
recommended AS (
    SELECT fair.*
    FROM fair
    JOIN paired ON (paired.source, paired.kind, paired.applications, paired.sms, paired.scheduler, paired.other)
        = (fair.source, fair.kind, fair.applications, fair.sms, fair.best_mean, fair.scheduler)
    WHERE difference <= tie
    QUALIFY row_number() OVER (
        PARTITION BY fair.source, fair.kind, fair.applications, fair.sms ORDER BY simplicity, place
    ) = 1
),
runner_up AS (
    SELECT fair.source, fair.kind, fair.applications, fair.sms, fair.scheduler
    FROM fair JOIN recommended USING (source, kind, applications, sms)
    WHERE fair.scheduler <> recommended.scheduler
    QUALIFY row_number() OVER (
        PARTITION BY fair.source, fair.kind, fair.applications, fair.sms ORDER BY fair.place
    ) = 1
),
fastest AS (
    SELECT source, kind, applications, sms, scheduler, speedup, least
    FROM mean
    QUALIFY row_number() OVER (PARTITION BY source, kind, applications, sms ORDER BY speedup DESC, simplicity) = 1
)
SELECT
    'gpu_sharing' AS study, recommended.source, coalesce(trace.kind, 'synthetic') AS origin, recommended.kind,
    recommended.applications, recommended.sms,
    recommended.mixes, recommended.scheduler, exp(recommended.speedup) AS system_speedup,
    exp(recommended.least) AS least_speedup, runner_up.scheduler AS runner_up, exp(difference) AS margin,
    exp(difference - half) AS margin_lo, exp(difference + half) AS margin_hi,
    fastest.scheduler AS fastest, exp(fastest.speedup) AS fastest_speedup, exp(fastest.least) AS fastest_least_speedup,
    recommended.replicates, difference <= tie AS tied
FROM recommended
JOIN fastest USING (source, kind, applications, sms)
LEFT JOIN trace ON trace_id = recommended.source
LEFT JOIN runner_up USING (source, kind, applications, sms)
LEFT JOIN paired ON (paired.source, paired.kind, paired.applications, paired.sms, paired.scheduler, paired.other)
    = (recommended.source, recommended.kind, recommended.applications, recommended.sms, recommended.scheduler,
        runner_up.scheduler)
ORDER BY source, kind, applications, sms;
