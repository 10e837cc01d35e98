-- Time of applications on a number of SMs that was left out, by C(m) = a/m + b, which task sets take their costs from: fitted by
-- least squares, a and b at least 0, to the other points of the curve, of which there are two or more. Setting `between` has
-- the points between the others, `beyond` the first and the last. Values are in s, or of rates 1 over the rate. What is in a
-- name before its first "/" is its model.
-- columns: as prediction
CREATE VIEW prediction_gpu_partition AS
WITH known AS (
    SELECT trace, app, sms, 1 / sms AS x, coalesce(time_s, 1 / nullif(ipc, 0)) AS time_s
    FROM sm_curve
    -- An application of a stated mix, <mix>/<application>, was measured beside the others.
    WHERE beside IS NULL AND NOT contains(app, '+')
),
fitted AS (
    SELECT
        point.trace, point.app, point.sms, any_value(point.time_s) AS time_s, min(other.sms) AS least, max(other.sms) AS most,
        regr_slope(other.time_s, other.x) AS slope, regr_intercept(other.time_s, other.x) AS intercept,
        sum(other.x * other.time_s) / sum(other.x * other.x) AS through_origin, avg(other.time_s) AS mean
    FROM known AS point
    JOIN known AS other ON other.trace = point.trace AND other.app = point.app AND other.sms <> point.sms
    GROUP BY ALL
    HAVING count(*) >= 2
)
SELECT
    'gpu_partition' AS study, trace, split_part(trace, '/', -1) AS run,
    CASE WHEN sms BETWEEN least AND most THEN 'between' ELSE 'beyond' END AS setting, 'held out' AS kind,
    'the time on one number of SMs; of deadlines met there is no public measurement' AS left_out, true AS reported, split_part(app, '/', 1) AS independent,
    NULL::VARCHAR AS beside, app || ' on ' || sms AS point,
    CASE
        WHEN slope <= 0 THEN mean
        WHEN intercept < 0 THEN through_origin / sms
        ELSE slope / sms + intercept
    END AS predicted,
    time_s AS measured
FROM fitted;
