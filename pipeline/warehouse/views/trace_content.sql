-- What each trace gave, in words.
-- trace: trace
-- drop: folder it was dropped in
-- pim_runs: runs of PIM applications [1]
-- pim_apps: PIM applications that were measured, or have times given [1]
-- pim_curves: of these, applications with a performance table [1]
-- most_ranks: most ranks that a time is known for [1]
-- queued: applications queued [1]
-- gpu_apps: applications of a GPU that were profiled [1]
-- sm_curves: applications with a curve against SMs [1]
-- corun_pairs: runs of pairs of applications side by side [1]
-- sliced: models measured on slices of a GPU [1]
-- tasks: real-time tasks on a GPU [1]
-- graph_edges: edges of its graphs [1]
-- content: all that in a sentence
CREATE VIEW trace_content AS
WITH run AS (
    SELECT trace, count(*) AS pim_runs, count(DISTINCT app) AS apps, max(ranks) AS most_ranks FROM pim_run GROUP BY ALL
),
point AS (
    SELECT trace, count(DISTINCT app) AS apps, max(ranks) AS most_ranks FROM perf_point GROUP BY ALL
),
curve AS (
    SELECT trace, count(*) AS pim_curves FROM pim_curve WHERE chosen GROUP BY ALL
),
queued AS (
    SELECT trace, count(*) AS queued FROM queue GROUP BY ALL
),
profiled AS (
    SELECT trace, count(DISTINCT app) AS gpu_apps FROM kernel GROUP BY ALL
),
of_sms AS (
    SELECT trace, count(DISTINCT app) AS sm_curves, count(mig_slices) > 0 AS of_slices FROM sm_curve GROUP BY ALL
),
pairs AS (
    SELECT trace, count(*) AS corun_pairs FROM corun_pair GROUP BY ALL
),
on_slices AS (
    SELECT trace, count(DISTINCT app) AS sliced FROM slice_point GROUP BY ALL
),
real_time AS (
    SELECT trace, count(*) AS tasks FROM task GROUP BY ALL
),
graphs AS (
    SELECT trace, sum(vertices)::BIGINT AS vertices, sum(edges)::BIGINT AS graph_edges FROM graph GROUP BY ALL
),
counted AS (
    SELECT
        trace.trace, trace.drop, jobs, samples,
        coalesce(pim_runs, 0) AS pim_runs,
        greatest(coalesce(run.apps, 0), coalesce(point.apps, 0)) AS pim_apps,
        coalesce(pim_curves, 0) AS pim_curves,
        greatest(run.most_ranks, point.most_ranks) AS most_ranks,
        coalesce(queued, 0) AS queued,
        coalesce(gpu_apps, 0) AS gpu_apps,
        coalesce(sm_curves, 0) AS sm_curves,
        of_slices,
        coalesce(corun_pairs, 0) AS corun_pairs,
        coalesce(sliced, 0) AS sliced,
        coalesce(tasks, 0) AS tasks,
        coalesce(vertices, 0) AS vertices,
        coalesce(graph_edges, 0) AS graph_edges
    FROM trace
    LEFT JOIN run USING (trace)
    LEFT JOIN point USING (trace)
    LEFT JOIN curve USING (trace)
    LEFT JOIN queued USING (trace)
    LEFT JOIN profiled USING (trace)
    LEFT JOIN of_sms USING (trace)
    LEFT JOIN pairs USING (trace)
    LEFT JOIN on_slices USING (trace)
    LEFT JOIN real_time USING (trace)
    LEFT JOIN graphs USING (trace)
)
SELECT
    trace, drop, pim_runs, pim_apps, pim_curves, most_ranks, queued, gpu_apps, sm_curves, corun_pairs, sliced, tasks,
    graph_edges,
    concat_ws(
        ', ',
        CASE WHEN jobs = 1 THEN '1 job' WHEN jobs > 1 THEN format('{:,} jobs', jobs) END,
        CASE WHEN samples > 0 THEN format('{:,} samples', samples) END,
        CASE
            WHEN pim_apps > 0 THEN concat(
                CASE WHEN pim_runs > 0 THEN format('{:,} runs', pim_runs) ELSE 'times' END,
                ' of ', pim_apps, CASE WHEN pim_apps = 1 THEN ' PIM application' ELSE ' PIM applications' END
            )
        END,
        CASE
            WHEN pim_curves > 0 THEN format('performance tables of {} of them', pim_curves)
            WHEN pim_apps > 0 THEN 'no curve of two or more rank counts'
        END,
        CASE WHEN queued > 0 THEN format('{:,} applications queued', queued) END,
        CASE WHEN gpu_apps > 0 THEN format('{:,} profiled GPU application', gpu_apps) || if(gpu_apps = 1, '', 's') END,
        CASE
            WHEN sm_curves > 0
                THEN format('curves of {:,} applications against ', sm_curves) || if(of_slices, 'MIG slices', 'SMs')
        END,
        CASE WHEN corun_pairs > 0 THEN format('{:,} runs of pairs', corun_pairs) END,
        CASE WHEN sliced > 0 THEN format('{:,} models on slices of a GPU', sliced) END,
        CASE WHEN tasks > 0 THEN format('{:,} real-time tasks', tasks) END,
        CASE WHEN vertices > 0 THEN format('a graph of {:,} vertices and {:,} edges', vertices, graph_edges) END
    ) AS content
FROM counted;
