-- How far the model's gains of running side by side are from measured ones, for each trace with both and each scheduler of the
-- model, with 95 % jackknife intervals over applications; the null model, which predicts the mean of the pairs with neither
-- application, stands beside it. modelled_and_measured_pairs has the pairs.
-- trace: trace
-- trace_kind: measured on a machine, or generated
-- scheduler: scheduler of the model
-- modelled_gain: mean gain by the model [1]
-- measured_gain: mean gain as measured [1]
-- mean_difference: mean of modelled less measured gain [1]
-- mean_difference_lo: lower end of its interval; null where one application is in all pairs [1]
-- mean_difference_hi: upper end [1]
-- mae: mean absolute difference [1]
-- mae_lo: lower end of its interval [1]
-- mae_hi: upper end [1]
-- null_mae: mean absolute difference of the null model; null = there are too few pairs [1]
-- over_null: null_mae less mae; above 0 the model is better [1]
-- over_null_lo: lower end of its interval [1]
-- over_null_hi: upper end [1]
-- better_than_null: whether that interval lies above 0
-- same_sign: pairs of which both gains are above 0, or both are not, as a share [1]
-- same_sign_lo: lower end of its interval [1]
-- same_sign_hi: upper end [1]
-- null_same_sign: the same of the null model [1]
-- rank_correlation: of modelled with measured gains (Spearman); null = one of them is a constant [1]
-- pairs: pairs [1]
-- apps: applications [1]
CREATE VIEW error_of_modelled_pairs AS
WITH measured AS (
    SELECT
        trace, trace_kind, scheduler, app_a, app_b, unnest(measures, recursive := true)
    FROM (
        SELECT
            *,
            [
                {measure: 'difference', value: difference},
                {measure: 'mae', value: abs(difference)},
                {measure: 'over_null', value: abs(null_difference) - abs(difference)},
                {measure: 'same_sign', value: ((modelled_gain > 0) = (measured_gain > 0))::INT::DOUBLE}
            ] AS measures
        FROM modelled_and_measured_pairs
    )
),
total AS (
    SELECT trace, scheduler, measure, sum(value) AS value, count(value) AS pairs FROM measured GROUP BY ALL
),
without AS (
    SELECT
        trace, scheduler, measure, app,
        (any_value(total.value) - sum(of_app.value)) / nullif(any_value(total.pairs) - count(of_app.value), 0) AS value
    FROM (SELECT *, unnest(list_distinct([app_a, app_b])) AS app FROM measured) AS of_app
    JOIN total USING (trace, scheduler, measure)
    GROUP BY ALL
),
spread AS (
    SELECT
        trace, scheduler, measure, count(*) AS apps,
        CASE WHEN count(value) = count(*) THEN sqrt((count(*) - 1) * var_pop(value)) END AS error
    FROM without
    GROUP BY ALL
),
judged AS (
    SELECT trace, scheduler, measure, total.value / nullif(total.pairs, 0) AS value, t * error AS half, apps
    FROM total
    JOIN spread USING (trace, scheduler, measure)
    LEFT JOIN student_t ON replicates = apps
),
wide AS (
    SELECT
        trace, scheduler, max(apps) AS apps,
        max(value) FILTER (measure = 'difference') AS mean_difference,
        max(half) FILTER (measure = 'difference') AS mean_difference_half,
        max(value) FILTER (measure = 'mae') AS mae,
        max(half) FILTER (measure = 'mae') AS mae_half,
        max(value) FILTER (measure = 'over_null') AS over_null,
        max(half) FILTER (measure = 'over_null') AS over_null_half,
        max(value) FILTER (measure = 'same_sign') AS same_sign,
        max(half) FILTER (measure = 'same_sign') AS same_sign_half
    FROM judged
    GROUP BY ALL
),
ranked AS (
    SELECT
        *,
        rank() OVER (PARTITION BY trace, scheduler ORDER BY modelled_gain)
        + (count(*) OVER (PARTITION BY trace, scheduler, modelled_gain) - 1) / 2 AS modelled_rank,
        rank() OVER (PARTITION BY trace, scheduler ORDER BY measured_gain)
        + (count(*) OVER (PARTITION BY trace, scheduler, measured_gain) - 1) / 2 AS measured_rank
    FROM modelled_and_measured_pairs
),
mean AS (
    SELECT
        trace, trace_kind, scheduler, avg(modelled_gain) AS modelled_gain, avg(measured_gain) AS measured_gain,
        avg(abs(null_difference)) AS null_mae,
        avg(((null_gain > 0) = (measured_gain > 0))::INT) AS null_same_sign,
        CASE
            WHEN min(modelled_rank) < max(modelled_rank) AND min(measured_rank) < max(measured_rank)
                THEN corr(modelled_rank, measured_rank)
        END AS rank_correlation,
        count(*) AS pairs
    FROM ranked
    GROUP BY ALL
)
SELECT
    trace, trace_kind, scheduler, modelled_gain, measured_gain,
    mean_difference, mean_difference - mean_difference_half AS mean_difference_lo,
    mean_difference + mean_difference_half AS mean_difference_hi,
    mae, mae - mae_half AS mae_lo, mae + mae_half AS mae_hi,
    null_mae, over_null, over_null - over_null_half AS over_null_lo, over_null + over_null_half AS over_null_hi,
    coalesce(over_null - over_null_half > 0, false) AS better_than_null,
    same_sign, same_sign - same_sign_half AS same_sign_lo, same_sign + same_sign_half AS same_sign_hi,
    null_same_sign, rank_correlation, pairs, apps
FROM mean JOIN wide USING (trace, scheduler)
ORDER BY trace, mae, scheduler;
