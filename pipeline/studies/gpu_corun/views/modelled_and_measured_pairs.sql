-- What running side by side gains by the model and as measured, for each pair of which a trace has both: its profiles replayed
-- under each scheduler, beside the pair's own rates or times; docs/models/gpu_corun.md says how. error_of_modelled_pairs has the means.
-- trace: trace
-- trace_kind: measured on a machine, or generated
-- app_a: one application
-- app_b: the other
-- scheduler: scheduler of the model
-- modelled_gain: weighted speedup of the pair in the replay less 1: each time alone under CUDA over that side by side, summed [1]
-- measured_gain: the same as measured, mean of its runs [1]
-- difference: modelled less measured gain [1]
-- null_gain: mean measured gain of the pairs with neither application: the null model; null = there is no such pair [1]
-- null_difference: null_gain less measured_gain [1]
-- modelled_slowdown_a: time of app_a in the replay over that alone under CUDA; beside itself the harmonic mean of the two [1]
-- measured_slowdown_a: its slowdown as measured, harmonic mean of the runs [1]
-- modelled_slowdown_b: the same of app_b [1]
-- measured_slowdown_b: the same of app_b [1]
-- modelled_alone_a_s: time of app_a alone in the model: set-up and kernels [s]
-- measured_alone_a_s: time of app_a alone as measured; null = only slowdowns or rates are known [s]
-- modelled_alone_b_s: the same of app_b [s]
-- measured_alone_b_s: the same of app_b [s]
-- loop_origin: where the lengths of the model's loops come from; the least certain of the two
-- runs: runs of the pair that were measured [1]
CREATE VIEW modelled_and_measured_pairs AS
WITH side AS (
    SELECT trace, app_a AS app, app_b AS beside, slowdown_a AS slowdown, alone_a_s AS alone_s FROM corun_pair
    WHERE slowdown_a IS NOT NULL
    UNION ALL
    SELECT trace, app_b, app_a, slowdown_b, alone_b_s FROM corun_pair WHERE slowdown_a IS NOT NULL
),
shared AS (
    SELECT
        trace, app, beside, avg(1 / slowdown) AS share, avg(alone_s) AS alone_s,
        sum(CASE WHEN app = beside THEN 0.5 ELSE 1 END)::BIGINT AS runs
    FROM side
    GROUP BY ALL
),
replayed AS (
    SELECT
        trace, scheduler, loop_origin, min(app) AS app_a, max(app) AS app_b,
        arg_min(share, app) AS share_a, arg_max(share, app) AS share_b,
        arg_min(alone_s, app) AS alone_a_s, arg_max(alone_s, app) AS alone_b_s
    FROM (
        SELECT
            result.trace, result.scenario_id, result.scheduler, result.loop_origin, kernel AS app,
            any_value(coalesce(setup_s, 3) + coalesce(loop_s, 30)) AS alone_s,
            avg((coalesce(setup_s, 3) + coalesce(loop_s, 30)) / outcome.end_s) AS share
        FROM gpu_corun_result AS result
        JOIN outcome_gpu_corun AS outcome USING (scenario_id)
        JOIN kernel_gpu_corun USING (model_id, kernel)
        WHERE result.kind = 'measured' AND result.split = 'equal' AND result.symmetry = 'printed'
            AND result.task_size = 10 AND NOT result.cached
        GROUP BY ALL
    )
    GROUP BY trace, scenario_id, scheduler, loop_origin
),
pair AS (
    SELECT
        r.trace, r.app_a, r.app_b, r.scheduler, share_a + share_b - 1 AS modelled_gain, a.share + b.share - 1 AS measured_gain,
        1 / share_a AS modelled_slowdown_a, 1 / a.share AS measured_slowdown_a,
        1 / share_b AS modelled_slowdown_b, 1 / b.share AS measured_slowdown_b,
        r.alone_a_s AS modelled_alone_a_s, a.alone_s AS measured_alone_a_s,
        r.alone_b_s AS modelled_alone_b_s, b.alone_s AS measured_alone_b_s, r.loop_origin, a.runs
    FROM replayed AS r
    JOIN shared AS a ON (a.trace, a.app, a.beside) = (r.trace, r.app_a, r.app_b)
    JOIN shared AS b ON (b.trace, b.app, b.beside) = (r.trace, r.app_b, r.app_a)
),
of_app AS (
    SELECT trace, scheduler, app, sum(measured_gain) AS gain, count(*) AS pairs
    FROM (
        SELECT trace, scheduler, measured_gain, unnest(list_distinct([app_a, app_b])) AS app FROM pair
    )
    GROUP BY ALL
),
total AS (
    SELECT trace, scheduler, sum(measured_gain) AS gain, count(*) AS pairs FROM pair GROUP BY ALL
),
-- What is left without the pairs of either: those of both were taken away twice.
left_out AS (
    SELECT
        pair.*,
        CASE
            WHEN app_a = app_b THEN (total.gain - a.gain) / nullif(total.pairs - a.pairs, 0)
            ELSE (total.gain - a.gain - b.gain + measured_gain) / nullif(total.pairs - a.pairs - b.pairs + 1, 0)
        END AS null_gain
    FROM pair
    JOIN total USING (trace, scheduler)
    JOIN of_app AS a ON (a.trace, a.scheduler, a.app) = (pair.trace, pair.scheduler, app_a)
    JOIN of_app AS b ON (b.trace, b.scheduler, b.app) = (pair.trace, pair.scheduler, app_b)
)
SELECT
    trace, trace.kind AS trace_kind, app_a, app_b, scheduler, modelled_gain, measured_gain,
    modelled_gain - measured_gain AS difference, null_gain, null_gain - measured_gain AS null_difference,
    modelled_slowdown_a, measured_slowdown_a, modelled_slowdown_b, measured_slowdown_b, modelled_alone_a_s,
    measured_alone_a_s, modelled_alone_b_s, measured_alone_b_s, loop_origin, runs
FROM left_out
JOIN trace USING (trace)
ORDER BY trace, app_a, app_b, scheduler;
