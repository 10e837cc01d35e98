-- Quality of service on the surrogate curves of Chapter 5 of the thesis, 30 SMs: measures of each scenario, SMs being freed
-- as their thread blocks end.
-- scenario_id: scenario
-- member: set of surrogate curves
-- sha1_sharpness: sharpness of the bend of SHA1's curve in it (docs/models) [1]
-- mix: applications, joined by +, those with a target first
-- kind: one_qos, two_qos or qos_best_effort
-- qos_apps: applications with a target, joined by +
-- best_effort_app: best-effort application; null without one
-- scheduler: scheduler
-- decide_by: what profile_minimum looks at: measured (beside the others) or profile (curves alone)
-- qos_level: target, in per cent of half of the throughput on all SMs [%]
-- midpoint: whether dynamic_linear goes half of the way only
-- start: SMs that dynamic_linear starts with: half or all
-- spare: what happens to spare SMs: idle, gated or best_effort
-- gamma: contention: 1 as drawn, 0 none [1]
-- qos_met: share of the applications with a target that meet it [1]
-- qos_sms: SMs of the applications with a target [1]
-- spare_sms: SMs that they leave [1]
-- least_sms: fewest SMs with which all targets are met; null where none are enough [1]
-- idle_w: power that spare SMs save when they are idle [W]
-- saved_w: power that they save as they are used in the scenario [W]
-- best_effort_gain: throughput of the best-effort application over that of cooperative multitasking [1]
-- rounds: allocations after the start [1]
-- violations: times that an application with a target was below it, over the rounds [1]
CREATE VIEW gpu_sharing_qos AS
WITH ours AS (
    SELECT scenario.*, workload.curve_set, workload.mix
    FROM scenario JOIN workload_gpu_sharing AS workload USING (workload_id)
    WHERE
        scenario.study = 'gpu_sharing' AND workload.kind = 'qos' AND member IS NOT NULL
        AND coalesce(freeing, 'wait') = 'wait'
),
measures AS (
    PIVOT (SELECT * FROM metric WHERE scenario_id IN (SELECT scenario_id FROM ours))
    ON metric IN ('qos_met', 'spare_sms', 'least_sms', 'saved_w', 'best_effort_gain', 'rounds', 'violations')
    USING first(value) GROUP BY scenario_id
),
apps AS (
    SELECT
        scenario_id,
        string_agg(app, '+' ORDER BY slot) FILTER (list_contains(qos_slots, slot)) AS qos_apps,
        string_agg(app, '+' ORDER BY slot) FILTER (NOT list_contains(qos_slots, slot)) AS best_effort_app
    FROM ours JOIN mix_gpu_sharing USING (mix_id)
    GROUP BY scenario_id
)
SELECT
    scenario_id, curve_set AS member, sharpness AS sha1_sharpness, mix,
    CASE
        WHEN best_effort_app IS NOT NULL THEN 'qos_best_effort'
        WHEN len(qos_slots) = 1 THEN 'one_qos'
        ELSE 'two_qos'
    END AS kind,
    qos_apps, best_effort_app, scheduler, decide_by, qos_level::INTEGER AS qos_level, midpoint, start, spare, gamma,
    qos_met,
    (sms - spare_sms)::INTEGER AS qos_sms,
    spare_sms::INTEGER AS spare_sms,
    least_sms::INTEGER AS least_sms,
    spare_sms * ours.idle_w AS idle_w,
    saved_w, best_effort_gain,
    rounds::INTEGER AS rounds,
    violations::INTEGER AS violations
FROM ours
JOIN measures USING (scenario_id)
JOIN apps USING (scenario_id)
LEFT JOIN (SELECT curve_set, sharpness FROM surrogate_gpu_sharing WHERE app = 'SHA1') USING (curve_set);
