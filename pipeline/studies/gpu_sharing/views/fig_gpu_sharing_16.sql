-- Figure 16 of the thesis: throughput that the dynamic allocation predicts from a measurement on half of 16 SMs, by two slopes,
-- beside the curve, for the applications of Table 6.
-- app: application
-- sms: SMs [1]
-- ipc: on the curve, instructions a cycle [1]
-- known: whether Table 6 gives the point
-- predicted: from the measurement on 8 SMs, instructions a cycle [1]
CREATE VIEW fig_gpu_sharing_16 AS
WITH ends AS (
    SELECT app, max(ipc) FILTER (sms = 8) AS measured, max(ipc) FILTER (sms = 16) AS isolated
    FROM gpu_sharing_curve WHERE curve_set = 'thesis_table_6' AND NOT contains(app, '/')
    GROUP BY app
)
SELECT
    app, sms, ipc, known,
    CASE
        WHEN sms <= 8 THEN measured * sms / 8
        ELSE measured + (isolated - measured) * (sms - 8) / 8
    END AS predicted
FROM gpu_sharing_curve JOIN ends USING (app)
WHERE curve_set = 'thesis_table_6' AND sms <= 16
ORDER BY app, sms;
