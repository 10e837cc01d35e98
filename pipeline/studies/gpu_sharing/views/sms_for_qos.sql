-- How many SMs an application needs for a target, alone or beside another one, and what the other one makes of the rest:
-- the fewest of all allocations, on curves of dropped traces and on the surrogates of the thesis' applications (these
-- with contention). Between the points of a dropped curve, and below the first, its line is straight;
-- on MIG slices only those that were measured count, and each application is alone.
-- curves: trace that the curves come from, or surrogate
-- origin: measured on a machine, generated, or synthetic (surrogates)
-- sms: SMs of the GPU [1]
-- app: application with the target
-- beside: best-effort application on the SMs that are left; null: alone
-- qos_level: target, in per cent of half of the throughput on all SMs, as the thesis counts it [%]
-- target: the same, as a share of the throughput alone on all SMs [1]
-- needed_sms: SMs that are enough for every set of curves; null where some set has no such number [1]
-- needed_slices: the same in sevenths of the GPU; null where it is not in MIG slices [1]
-- mean_sms: mean over the sets of curves [1]
-- gain: throughput of the other application over cooperative multitasking, geometric mean over the sets of curves [1]
-- curve_sets: sets of curves [1]
CREATE VIEW sms_for_qos AS
WITH ran AS (
    SELECT scenario_id, coalesce(trace, 'surrogate') AS curves, origin, sms, sizes, mix_id, qos_level, member
    FROM scenario JOIN workload_gpu_sharing USING (workload_id)
    WHERE scheduler = 'profile_minimum' AND decide_by = 'measured' AND kind = 'qos' AND len(qos_slots) = 1
        AND (member IS NULL OR gamma > 0)
),
apps AS (
    SELECT
        mix_id, any_value(app) FILTER (slot = 0) AS app, any_value(app) FILTER (slot = 1) AS beside
    FROM mix_gpu_sharing
    GROUP BY mix_id
),
found AS (
    SELECT
        scenario_id,
        any_value(value) FILTER (metric = 'least_sms') AS least_sms,
        any_value(value) FILTER (metric = 'best_effort_gain') AS gain
    FROM metric SEMI JOIN ran USING (scenario_id)
    WHERE metric IN ('least_sms', 'best_effort_gain')
    GROUP BY scenario_id
)
SELECT
    curves, origin, sms, app, beside, qos_level, qos_level / 200 AS target,
    CASE WHEN count(least_sms) = count(*) THEN max(least_sms) END::INTEGER AS needed_sms,
    CASE WHEN sizes = 'mig' THEN needed_sms * 7 // sms END::INTEGER AS needed_slices,
    avg(least_sms) AS mean_sms,
    CASE WHEN min(gain) > 0 THEN exp(avg(ln(gain))) END AS gain,
    count(*) AS curve_sets
FROM ran JOIN apps USING (mix_id) JOIN found USING (scenario_id)
GROUP BY curves, origin, sms, sizes, app, beside, qos_level
ORDER BY curves, sms, app, qos_level DESC, beside NULLS FIRST;
