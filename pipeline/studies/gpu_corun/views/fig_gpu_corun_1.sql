-- Speed against SMs (paper, Figure 1): what the model takes of a stream, which the paper measures to saturate at 9 of 30 SMs, and
-- the curves of the dropped traces, alone on the GPU.
-- source: model, or the trace
-- app: application
-- sms: streaming multiprocessors [1]
-- machine_sms: most SMs of the curve [1]
-- speed: speed as a share of the largest of the curve [1]
-- saturates: whether this is the least number of SMs with 95 % of the largest speed; of the model the printed 9
CREATE VIEW fig_gpu_corun_1 AS
WITH curve AS (
    SELECT trace AS source, app, sms, coalesce(1 / time_s, ipc) AS rate FROM sm_curve WHERE beside IS NULL
),
relative AS (
    SELECT
        source, app, sms, max(sms) OVER (PARTITION BY source, app) AS machine_sms,
        rate / max(rate) OVER (PARTITION BY source, app) AS speed
    FROM curve
)
SELECT 'model' AS source, 'stream' AS app, sms, 30 AS machine_sms, least(1, sms / 30 / 0.3) AS speed, sms = 9 AS saturates
FROM (SELECT unnest(range(1, 31)) AS sms)
UNION ALL
SELECT
    source, app, sms, machine_sms, speed,
    sms = min(sms) FILTER (speed >= 0.95) OVER (PARTITION BY source, app) AS saturates
FROM relative
ORDER BY source, app, sms;
