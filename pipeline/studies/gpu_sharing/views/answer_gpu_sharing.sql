-- What the terminal and the page say of curves against SMs: which policy shares a GPU, and how much of it an application needs
-- for a part of its speed. From recommended_gpu_sharing and sms_for_qos.
-- columns: as answer
CREATE VIEW answer_gpu_sharing AS
WITH slices AS (
    SELECT curve_set AS trace, count(mig_slices) > 0 AS mig FROM curve_gpu_sharing GROUP BY curve_set
),
policies AS (
    SELECT
        'sms' AS topic, CASE WHEN trace <> 'ensemble' THEN trace END AS trace,
        CASE WHEN trace = 'ensemble' THEN 'drawn curves' ELSE trace END AS subject, origin,
        said_number(mixes) || ' mixes of ' || applications || ' applications'
            || CASE WHEN kind = 'stated' THEN ' that it states' ELSE '' END || ' on '
            || CASE WHEN mig THEN 'MIG slices' ELSE sms || ' SMs' END AS about,
        '' AS setting, scheduler,
        said_margin(runner_up, margin, margin_lo, margin_hi, margin_kind, tied) AS gain,
        runner_up, margin, margin_lo, margin_hi, margin_kind, tied,
        'system speed-up' AS measure,
        said_number(value) || ' times; of the one that gains least ' || said_number(least_speedup) || ' times' AS amount,
        CASE
            WHEN fastest <> scheduler
                THEN fastest || ' is the fastest: ' || said_number(fastest_speedup) || ' times, of the one that gains least '
                    || said_number(fastest_least_speedup)
        END AS details,
        [(trace <> 'ensemble')::INT, 0, kind = 'stated', applications]::DOUBLE[] AS position
    FROM recommended_gpu_sharing LEFT JOIN slices USING (trace)
),
-- Applications that need as much stand together, by their names where they are few.
needed AS (
    SELECT
        curves, origin, sms, target, coalesce(needed_slices, needed_sms) AS needed,
        CASE WHEN needed_slices IS NOT NULL THEN ' of 7 slices' ELSE ' of ' || sms || ' SMs' END AS unit,
        count(*) AS apps, string_agg(app, ', ' ORDER BY app) AS named
    FROM sms_for_qos
    WHERE curves <> 'surrogate' AND beside IS NULL AND target > 0.5 AND needed_sms IS NOT NULL
    GROUP BY ALL
),
of_target AS (
    SELECT
        curves, origin, sms, target, sum(apps) AS apps,
        'for ' || said_share(target, digits := 0)
            || CASE
                WHEN target < max(target) OVER (PARTITION BY curves, sms) THEN ''
                WHEN sum(apps) > 1 THEN ' of their speed alone on the GPU'
                ELSE ' of its speed alone on the GPU'
            END || ': '
            || string_agg(
                needed || unit || CASE
                    WHEN sizes = 1 THEN ''
                    WHEN apps <= 3 THEN ' (' || named || ')'
                    ELSE ' (' || apps || ' applications)'
                END,
                ', ' ORDER BY needed
            ) AS amount
    FROM (SELECT *, count(*) OVER (PARTITION BY curves, sms, target) AS sizes FROM needed)
    GROUP BY curves, origin, sms, target
),
targets AS (
    SELECT
        'target' AS topic, curves AS trace, curves AS subject, origin,
        CASE WHEN max(apps) > 1 THEN 'each of ' || max(apps) || ' applications' ELSE 'the application' END
            || ' with a part of the GPU to itself' AS about,
        'enough' AS measure, string_agg(amount, '; ' ORDER BY target DESC) AS amount,
        [1, 1, 0, sms]::DOUBLE[] AS position
    FROM of_target
    GROUP BY curves, origin, sms
)
SELECT
    'gpu_sharing' AS study, topic, trace, subject, origin, about,
    row_number() OVER (ORDER BY position[1], trace, position) AS place,
    setting, scheduler, NULL::VARCHAR AS also, gain, runner_up, margin, margin_lo, margin_hi, margin_kind, tied,
    measure, amount, details, NULL::VARCHAR AS assumed, NULL::VARCHAR AS how_true
FROM (FROM policies UNION ALL BY NAME FROM targets)
ORDER BY place;
