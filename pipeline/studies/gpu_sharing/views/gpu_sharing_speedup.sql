-- System speed-up of policies that split the SMs once and for all, without contention. Members of an ensemble are independent, the mixes of one are not: a member is the mean over its
-- mixes.
-- study: study
-- question: number of the question
-- trace: trace that the curves come from, or ensemble
-- kind: mixes (all or drawn) or stated (by a trace)
-- applications: applications a mix [1]
-- sms: SMs of the GPU [1]
-- scheduler: scheduler
-- replicate: member of an ensemble, else mix
-- drawn: whether replicates are drawn at random
-- score: log of the system speed-up [1]
-- least: log of the speed-up of the application that gains least [1]
-- mixes: mixes that score and least are means over [1]
-- slows: whether the scheduler slows an application down on average over the replicates
CREATE VIEW gpu_sharing_speedup AS
WITH ran AS (
    SELECT
        coalesce(trace, 'ensemble') AS trace, kind, applications, sms, scheduler,
        coalesce('member ' || member, mix) AS replicate, member IS NOT NULL AS drawn,
        avg(ln(system_speedup)) AS score, avg(ln(greatest(least_speedup, 1e-9))) AS least, count(*) AS mixes
    FROM gpu_sharing_result
    WHERE NOT "dynamic" AND gamma = 0 AND interpolation = 'linear'
    GROUP BY ALL
)
SELECT
    'gpu_sharing' AS study, hash(trace, kind, applications, sms) AS question, trace, kind, applications, sms, scheduler,
    replicate, drawn, score, least, mixes,
    avg(least) OVER (PARTITION BY trace, kind, applications, sms, scheduler) <= ln(1 - 1e-9) AS slows
FROM ran;
