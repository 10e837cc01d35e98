-- What the terminal and the page say of kernels on a GPU: which scheduler shares it, and which applications run best side by
-- side. From recommended_gpu_corun, best_pair and modelled_and_measured_pairs.
-- columns: as answer
CREATE VIEW answer_gpu_corun AS
WITH of_scheduler AS (
    SELECT
        nullif(trace, 'published') AS trace, origin, kind, arrival, load, gpu, gpu_origin, scheduler,
        count(*) AS cases, max(applications) AS applications, count(caution) AS short,
        bool_or(loop_origin = 'assumed') AS loops_assumed, min(value) AS least_gain, max(value) AS most_gain,
        min(margin) AS margin, arg_min(runner_up, margin) AS runner_up, arg_min(margin_lo, margin) AS margin_lo,
        arg_min(margin_hi, margin) AS margin_hi, arg_min(margin_kind, margin) AS margin_kind, bool_or(tied) AS tied
    FROM recommended_gpu_corun
    GROUP BY ALL
),
schedulers AS (
    SELECT
        *, sum(cases) OVER alike AS all_cases, sum(short) OVER alike AS all_short, bool_or(loops_assumed) OVER alike AS assumed,
        max(applications) OVER alike AS most_applications, min(least_gain) OVER alike AS least,
        max(most_gain) OVER alike AS most
    FROM of_scheduler
    WINDOW alike AS (PARTITION BY trace, kind, arrival, load, gpu, gpu_origin)
),
kernels AS (
    SELECT
        'kernels' AS topic, trace, coalesce(trace, 'Slate''s kernels') AS subject, origin,
        all_cases || ' ' || CASE kind WHEN 'pair' THEN 'pair' WHEN 'drawn' THEN 'drawn queue' ELSE kind END
            || CASE WHEN all_cases = 1 THEN '' ELSE 's' END
            || CASE WHEN kind = 'pair' THEN '' ELSE ' of ' || most_applications || ' applications' END
            || CASE WHEN load IS NULL THEN '' ELSE ', ' || arrival || ' arrivals at load ' || printf('%g', load) END
            || CASE
                WHEN trace IS NULL THEN ''
                WHEN gpu_origin = 'measured' THEN ', by the largest rates of its kernels'
                ELSE ', on ' || coalesce(gpu, 'the stated card') || CASE WHEN gpu_origin = 'assumed' THEN ' (assumed)' ELSE '' END
            END
            || CASE
                WHEN all_short > 0
                    THEN '; the loops of ' || all_short || ' are shorter than the set-up, so this says little'
                ELSE ''
            END AS about,
        cases || ' of ' || all_cases AS setting, scheduler, NULL::VARCHAR AS also,
        runner_up, margin, margin_lo, margin_hi, margin_kind, tied, cases > 1 AS several,
        'throughput gained over CUDA' AS measure, said_share(least) || ' to ' || said_share(most) AS amount,
        NULL::VARCHAR AS details, CASE WHEN assumed THEN 'loops of 30 s' END AS assumed,
        [
            1, list_position(['pair', 'drawn', 'queue'], kind), coalesce(load, 0) * 1000, -cases
        ]::DOUBLE[] AS position, concat_ws(' ', arrival, gpu) AS then_by
    FROM schedulers
),
pair AS (
    SELECT
        best.*, modelled.modelled_gain, modelled.difference, error.modelled_gain AS mean_modelled,
        error.measured_gain AS mean_measured, error.mae, error.null_mae,
        count(*) OVER of_card AS apps, count(*) FILTER (partner IS NULL) OVER of_card AS alone,
        row_number() OVER (
            PARTITION BY best.trace, gpu ORDER BY partner IS NULL OR app > partner, speedup DESC, app
        ) AS named,
        count(*) FILTER (app < partner) OVER of_card AS pairs
    FROM best_pair AS best
    LEFT JOIN modelled_and_measured_pairs AS modelled
        ON (modelled.trace, modelled.app_a, modelled.app_b, modelled.scheduler)
        = (best.trace, least(app, partner), greatest(app, partner), 'mps')
    LEFT JOIN error_of_modelled_pairs AS error ON (error.trace, error.scheduler) = (best.trace, 'mps')
    WINDOW of_card AS (PARTITION BY best.trace, gpu)
),
lines AS (
    -- The pairs that gain most are named, the others and those that stay alone are counted.
    SELECT
        *, 1 AS line, app || ' + ' || partner AS setting, 'side by side' AS scheduler, 'taking turns' AS runner_up,
        speedup - 1 AS margin, lo - 1 AS margin_lo, hi - 1 AS margin_hi, 'relative' AS margin_kind, false AS tied,
        CASE
            WHEN modelled_gain IS NOT NULL
                THEN 'measured ' || said_share(speedup - 1) || ', by the model ' || said_share(modelled_gain) || ': '
                    || printf('%.1f', abs(100 * difference)) || ' points ' || CASE WHEN difference > 0 THEN 'more' ELSE 'less' END
        END AS also
    FROM pair
    WHERE app < partner AND named <= 6
    UNION ALL BY NAME
    SELECT
        *, 2 AS line, (pairs - 6) || CASE WHEN pairs = 7 THEN ' more pair' ELSE ' more pairs' END AS setting, 'side by side' AS scheduler
    FROM pair
    WHERE named = 1 AND pairs > 6
    UNION ALL BY NAME
    SELECT
        *, 3 AS line, alone || CASE WHEN alone = 1 THEN ' application' ELSE ' applications' END AS setting, 'alone' AS scheduler
    FROM pair
    WHERE named = 1 AND alone > 0
),
partners AS (
    SELECT
        'pairs' AS topic, lines.trace, lines.trace AS subject, trace.kind AS origin,
        apps || ' applications' || coalesce(' on ' || gpu, '') || ': who shares the GPU with whom'
            || '; what was not tried side by side is left alone' AS about,
        setting, scheduler, also, runner_up, margin, margin_lo, margin_hi, margin_kind, tied, false AS several,
        'gained by all over taking turns' AS measure,
        said_share(total_speedup - 1) || ' (' || CASE
            WHEN total_lo IS NULL THEN 'no interval'
            ELSE said_share(total_lo - 1) || ' to ' || said_share(total_hi - 1)
        END || ')' AS amount,
        CASE
            WHEN mean_modelled IS NOT NULL
                THEN 'all measured pairs by the model: ' || said_share(mean_modelled) || ', measured '
                    || said_share(mean_measured) || '; mean error ' || printf('%.1f points', 100 * mae)
                    || coalesce(printf(', %.1f points by the mean of other pairs', 100 * null_mae), '')
        END AS details,
        trace.warnings AS assumed, [2, line, named]::DOUBLE[] AS position, coalesce(gpu, '') AS then_by
    FROM lines JOIN trace USING (trace)
)
SELECT
    'gpu_corun' AS study, topic, trace, subject, origin, about,
    row_number() OVER (ORDER BY position[1], trace NULLS FIRST, then_by, position, scheduler) AS place,
    setting, scheduler, also,
    said_margin(runner_up, margin, margin_lo, margin_hi, margin_kind, tied, several) AS gain,
    runner_up, margin, margin_lo, margin_hi, margin_kind, tied, measure, amount, details, assumed,
    NULL::VARCHAR AS how_true
FROM (FROM kernels UNION ALL BY NAME FROM partners)
ORDER BY place;
