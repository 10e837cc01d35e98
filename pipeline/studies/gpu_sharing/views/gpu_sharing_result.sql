-- Measures of each scenario of Chapter 6 (fairness) of gpu_sharing, with the split of the SMs, which are freed as their
-- thread blocks end.
-- scenario_id: scenario
-- family: workload without its mix: the mixes of one set of curves
-- kind: mixes (all or drawn) or stated (by a trace)
-- mix: applications of the mix, joined by +
-- applications: applications of the mix [1]
-- trace: trace that the curves come from; null for an ensemble's
-- member: member of the ensemble of admissible curves; null for a trace's
-- sms: SMs of the GPU [1]
-- interpolation: between the points of a curve: linear or pchip
-- sizes: any, or mig: each application has a MIG slice that was measured
-- gamma: contention: slowdown for each SM of the others [1]
-- decide_by: what a policy looks at: measured (beside the others) or profile (curves alone)
-- initial: start of a dynamic allocation: equal or profile
-- is_default: whether these five are the study's defaults, or read by none: linear, any, 0, measured, equal
-- scheduler: scheduler
-- policy: what it aims at: the scheduler, or that which a dynamic one follows
-- dynamic: whether it resizes while the applications run
-- split: SMs of each application, in the order of the mix [1]
-- system_speedup: sum of throughput over that of cooperative multitasking [1]
-- least_speedup: speed-up of the application that gains least [1]
-- total_throughput: sum of throughput, instructions a cycle or the curves' other rate [1]
-- unfairness_sms: (max - min) / max of the SMs [1]
-- unfairness_throughput: (max - min) / max of throughput [1]
-- unfairness_speedup: (max - min) / max of speed-up [1]
-- rounds: splits tried after the start, of a dynamic scheduler [1]
-- converged: 1 where a round changed nothing, 0 where splits came again [1]
-- realloc_cycles: cycle at which the last SM changed hands [cycles]
-- cycles_to_5_percent: cycle from which on all are within 5 % of the final split's work [cycles]
CREATE VIEW gpu_sharing_result AS
WITH measures AS (
    PIVOT (SELECT * FROM metric WHERE scenario_id IN (SELECT scenario_id FROM scenario WHERE study = 'gpu_sharing'))
    ON metric IN (
        'system_speedup', 'least_speedup', 'total_throughput', 'unfairness_sms', 'unfairness_throughput',
        'unfairness_speedup', 'rounds', 'converged', 'realloc_cycles', 'cycles_to_5_percent'
    )
    USING first(value) GROUP BY scenario_id
),
of_mix AS (
    SELECT scenario_id, list(sms ORDER BY slot) AS split FROM outcome_gpu_sharing GROUP BY scenario_id
)
SELECT
    scenario_id, family, kind, mix, applications, trace, member,
    scenario.sms, interpolation, sizes, gamma, decide_by, initial,
    interpolation = 'linear' AND sizes = 'any' AND gamma = 0 AND coalesce(decide_by = 'measured', true)
        AND coalesce(initial = 'equal', true) AS is_default,
    scheduler,
    regexp_replace(scheduler, '^dynamic_', '') AS policy,
    starts_with(scheduler, 'dynamic_') AS "dynamic",
    of_mix.split, system_speedup, least_speedup, total_throughput,
    unfairness_sms, unfairness_throughput, unfairness_speedup,
    rounds, converged, realloc_cycles, cycles_to_5_percent
FROM scenario
JOIN workload_gpu_sharing USING (workload_id)
JOIN measures USING (scenario_id)
JOIN of_mix USING (scenario_id)
WHERE kind IN ('mixes', 'stated') AND coalesce(freeing, 'wait') = 'wait';
