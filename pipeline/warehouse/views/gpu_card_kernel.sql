-- Kernels of dropped cards, which are GPUs whose kernels have run times against SMs: what was fitted to the curve of each alone,
-- where it saturates, and what it draws from memory. Whether it is of memory or of compute is said twice: by its curve (the
-- speed stops growing) and by its rate (it draws half or more of the largest rate of a kernel of the card).
-- trace: trace
-- origin: of the trace: measured on a machine, or generated
-- app: kernel
-- machine_sms: most SMs of its curve [1]
-- points: points of its curve [1]
-- a_s: a of T = a/m + b: time on one SM of the part that SMs share [s]
-- b_s: b: time that no SM shortens [s]
-- r2: coefficient of determination of the fit [1]
-- fit_error: largest error of the fit at a point, over the time there [1]
-- kind: memory (saturates at 0.8 of the SMs or fewer) or compute, by its curve
-- saturation_sms: least SMs from which no point is more than 5 % faster [1]
-- saturation_share: these over machine_sms [1]
-- gflops: floating-point rate on the whole card; null = not known [GFLOP/s]
-- memory_gbps: rate from memory on the whole card; null = not known [GB/s]
-- memory_share: that over the largest rate of a kernel of the card [1]
-- kind_by_rate: memory (memory_share of 0.5 or more) or compute; null = no rate
CREATE VIEW gpu_card_kernel AS
WITH error AS (
    SELECT trace, app, max(abs(a_s / sms + b_s - time_s) / time_s) AS fit_error
    FROM sm_curve JOIN sm_fit USING (trace, app)
    WHERE beside IS NULL AND a_s IS NOT NULL
    GROUP BY ALL
),
weighted AS (
    SELECT trace, coalesce(app, kernel) AS app, gflops, memory_gbps, coalesce(time_s, 1) AS weight FROM kernel
),
mean AS (
    SELECT
        trace, app, sum(gflops * weight) / sum(weight) AS gflops, sum(memory_gbps * weight) / sum(weight) AS memory_gbps
    FROM weighted
    GROUP BY ALL
),
rate AS (
    SELECT *, memory_gbps / nullif(max(memory_gbps) OVER (PARTITION BY trace), 0) AS memory_share FROM mean
)
SELECT
    trace, trace.kind AS origin, app, most_sms AS machine_sms, points, a_s, b_s, r2, fit_error, sm_fit.kind,
    saturation_sms, saturation_sms / most_sms AS saturation_share, gflops, memory_gbps, memory_share,
    CASE WHEN memory_share >= 0.5 THEN 'memory' WHEN memory_share IS NOT NULL THEN 'compute' END AS kind_by_rate
FROM sm_fit
JOIN error USING (trace, app)
JOIN trace USING (trace)
LEFT JOIN rate USING (trace, app)
ORDER BY trace, app;
