-- Process variation on the surrogate curves of Chapter 4 of the thesis, 30 SMs: speed-ups of each scenario, without those of
-- clusters of SMs with one clock.
-- scenario_id: scenario
-- member: set of surrogate curves
-- reading: default, or which of what the thesis leaves open is read or assumed otherwise; at the global clock default
-- map_seed: map of SM frequencies; null at the global clock
-- mix: applications, joined by +
-- applications: applications of the mix [1]
-- classes: compute, memory (all of one class) or mixed
-- scheduler: scheduler
-- clocking: global or per_sm
-- assignment: cfms or csmf; null at the global clock
-- speedup: over cooperative multitasking at the global clock, for equal work [1]
-- over_global: over the same split at the global clock, for equal work [1]
CREATE VIEW gpu_sharing_variation AS
WITH ours AS (
    SELECT scenario.*, workload.curve_set, workload.mix, workload.applications, metric.value AS speedup
    FROM scenario
    JOIN workload_gpu_sharing AS workload USING (workload_id)
    JOIN metric USING (scenario_id)
    WHERE
        scenario.study = 'gpu_sharing' AND workload.kind = 'variation' AND member IS NOT NULL
        AND metric = 'equal_work_speedup' AND coalesce(cluster_sms, 1) = 1
),
class AS (
    SELECT curve_set, app, min(speedup) >= 1.30 AS compute_bound FROM clock_speedup_gpu_sharing WHERE clock = 1.4 GROUP BY ALL
),
classes AS (
    SELECT
        mix_id,
        CASE WHEN bool_and(compute_bound) THEN 'compute' WHEN bool_or(compute_bound) THEN 'mixed' ELSE 'memory' END AS classes
    FROM mix_gpu_sharing JOIN class USING (curve_set, app)
    GROUP BY mix_id
)
SELECT
    ours.scenario_id, ours.curve_set AS member,
    coalesce(nullif(concat_ws(
        ', ',
        CASE WHEN clocking = 'per_sm' AND controllers <> 'shared' THEN 'memory controllers ' || controllers END,
        CASE WHEN clocking = 'per_sm' AND threshold_v <> 0.42 THEN format('threshold {} V', threshold_v) END,
        CASE WHEN clocking = 'per_sm' AND voltage_exponent <> 1.3 THEN format('exponent {}', voltage_exponent) END
    ), ''), 'default') AS reading,
    CASE clocking WHEN 'per_sm' THEN map_seed END AS map_seed,
    ours.mix, ours.applications, classes, scheduler, clocking,
    CASE clocking WHEN 'per_sm' THEN assignment END AS assignment,
    ours.speedup,
    ours.speedup / at_one_clock.speedup AS over_global
FROM ours
JOIN classes USING (mix_id)
LEFT JOIN (SELECT mix_id, scheduler, speedup FROM ours WHERE clocking = 'global') AS at_one_clock
    USING (mix_id, scheduler);
