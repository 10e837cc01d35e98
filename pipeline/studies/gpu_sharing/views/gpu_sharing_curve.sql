-- Curves of gpu_sharing on every number of SMs: the points that are known and straight lines between them, from (0, 0) on.
-- Curves of MIG slices have the slices that were measured alone.
-- curve_set: set of curves
-- app: application
-- sms: SMs [1]
-- ipc: instructions a cycle, or another rate [1]
-- known: whether it is a given point
CREATE VIEW gpu_sharing_curve AS
WITH points AS (
    SELECT curve_set, app, sms, ipc, mig_slices FROM curve_gpu_sharing GROUP BY ALL
    UNION ALL SELECT DISTINCT curve_set, app, 0, 0.0, NULL FROM curve_gpu_sharing
),
reach AS (
    SELECT curve_set, app, mig, unnest(range(most + 1)) AS n
    FROM (SELECT curve_set, app, max(sms) AS most, count(mig_slices) > 0 AS mig FROM points GROUP BY ALL)
),
around AS (
    SELECT
        curve_set, app, mig, n, max(sms) FILTER (sms <= n) AS below, min(sms) FILTER (sms >= n) AS above,
        arg_max(ipc, sms) FILTER (sms <= n) AS low, arg_min(ipc, sms) FILTER (sms >= n) AS high
    FROM reach JOIN points USING (curve_set, app)
    GROUP BY ALL
)
SELECT
    curve_set, app, n AS sms,
    CASE WHEN below = above THEN low ELSE low + (high - low) * (n - below) / (above - below) END AS ipc,
    below = above AS known
FROM around
WHERE NOT mig OR (below = above AND n > 0)
ORDER BY curve_set, app, n;
