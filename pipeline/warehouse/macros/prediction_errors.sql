-- How far the predictions of a study (view prediction) are from what was measured, for each trace and setting. An error is
-- predicted over measured, less one. Intervals are 95 % jackknife intervals over what is independent: of the mean directly; of a
-- quantile its level (the share of points up to it) has the interval, whose ends are looked up among the errors (Woodruff 1952).
-- Fewer than five independent applications or models have none. The views fidelity_<study> are made with it.
-- columns: as fidelity
CREATE MACRO prediction_errors(study_name) AS TABLE
WITH own AS MATERIALIZED (
    SELECT *, predicted / measured - 1 AS signed, abs(predicted / measured - 1) AS error
    FROM prediction
    WHERE study = study_name AND predicted IS NOT NULL AND measured > 0
),
of_setting AS MATERIALIZED (
    SELECT
        study, trace, run, setting, kind, left_out, reported, count(*) AS points, avg(signed) AS mean,
        list_sort(list(error)) AS errors, quantile_cont(error, 0.5) AS median, quantile_cont(error, 0.9) AS p90
    FROM own
    GROUP BY ALL
),
measure AS (
    SELECT
        *,
        unnest([
            {measure: 'relative_error_median', level: 0.5, value: median},
            {measure: 'relative_error_p90', level: 0.9, value: p90},
            {measure: 'signed_error_mean', level: NULL, value: mean}
        ], recursive := true)
    FROM of_setting
),
-- What has an interval of means: the error, or whether it is at most the quantile.
estimated AS (
    SELECT
        trace, run, setting, measure, independent, beside,
        CASE WHEN level IS NULL THEN signed ELSE (error <= value)::INT::DOUBLE END AS estimate
    FROM own JOIN measure USING (trace, run, setting)
),
total AS (
    SELECT trace, run, setting, measure, sum(estimate) AS estimate, count(*) AS points FROM estimated GROUP BY ALL
),
without AS (
    SELECT
        trace, run, setting, measure, one_of,
        (any_value(total.estimate) - sum(of_one.estimate)) / nullif(any_value(total.points) - count(*), 0) AS estimate
    FROM (SELECT *, unnest(list_distinct([independent, coalesce(beside, independent)])) AS one_of FROM estimated) AS of_one
    JOIN total USING (trace, run, setting, measure)
    GROUP BY ALL
),
spread AS (
    SELECT
        trace, run, setting, measure, count(*) AS independent,
        CASE
            WHEN count(estimate) = count(*) AND count(*) >= 5
                THEN sqrt((count(*) - 1) * var_pop(estimate)) * any_value(t)
        END AS half
    FROM (SELECT *, count(*) OVER (PARTITION BY trace, run, setting, measure) AS replicates FROM without)
    LEFT JOIN student_t USING (replicates)
    GROUP BY ALL
),
judged AS (
    SELECT
        study, trace, run, setting, measure, value,
        CASE WHEN level IS NULL THEN value - half ELSE quantile_of(errors, level - half) END AS lo,
        CASE WHEN level IS NULL THEN value + half ELSE quantile_of(errors, level + half) END AS hi,
        kind, left_out, reported
    FROM measure JOIN spread USING (trace, run, setting, measure)
    UNION ALL BY NAME
    SELECT study, trace, run, setting, kind, left_out, reported, 'points' AS measure, points::DOUBLE AS value FROM of_setting
    UNION ALL BY NAME
    SELECT
        study, trace, run, setting, kind, left_out, reported, 'independent' AS measure, independent::DOUBLE AS value
    FROM of_setting JOIN (SELECT DISTINCT trace, run, setting, independent FROM spread) USING (trace, run, setting)
)
SELECT
    study, trace, run, setting, NULL::VARCHAR AS half, measure, value, lo, hi, '1' AS unit, NULL::DOUBLE AS noise, kind, left_out,
    NULL::BOOLEAN AS closest, reported
FROM judged;
