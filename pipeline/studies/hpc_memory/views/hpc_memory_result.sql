-- Measures of each scenario of hpc_memory beside those of unlimited memory on the same jobs.
-- scenario_id: scenario
-- workload: workload without its batch; rows of one workload differ in the batch only
-- kind: phased, dynamic, replayed or composed
-- trace: trace the jobs, or the laws they are drawn from, come from; null for others
-- shapes: trace the memory series of a composed workload come from
-- batch: batch
-- load: offered load of a synthetic workload [1]
-- release: rule of the gaps between releases
-- job_nodes: law of the nodes per job
-- memory_law: law of the memory per phase
-- law_spread: how far the documented laws spread where that is not as assumed by default
-- laws: laws of a synthetic workload: documented, or fitted to a trace or empirical
-- jobs: jobs
-- nodes: nodes of the machine [1]
-- scheduler: scheduler
-- memory_per_node_gb: fast memory of the machine divided by its nodes; null = unlimited [GB]
-- alpha: speed of a job without fast memory [1]
-- tau_s: duration of a reconfiguration [s]
-- reconfiguration: serial, incremental or restart
-- backfilling: backfilling rule
-- dialect: parameters of backfilling reserve that are not their defaults; empty = none
-- free_start: whether memory decided at a job's start is usable at once
-- largest_by: size for largest_first
-- knowledge: what the scheduler knows of a job's memory: own, given, history, trace or bins; null = it asks for nothing
-- knows_as_usual: whether that is what schedulers know of the workload by default (workload.knowledge), or asked for by none
-- is_default: whether all parameters are the study's defaults: alpha 0.03, tau 1 s (dynamic: a phase), serial reconfiguration, EASY, no free start, largest by memory, known what the workload says (workload.knowledge)
-- utilisation: useful node-seconds until the last release, as a share of all [1]
-- unlimited_utilisation: the same with unlimited memory [1]
-- loss: 1 - utilisation / unlimited_utilisation [1]
-- mean_response_s: mean time from release to end [s]
-- unlimited_response_s: the same with unlimited memory [s]
-- mean_wait_s: mean time from release to start [s]
-- unlimited_wait_s: the same with unlimited memory [s]
-- reconfigurations: instants at which an allotment changed [1]
-- moved_gb: memory that changed hands at them [GB]
CREATE VIEW hpc_memory_result AS
WITH measures AS (
    PIVOT (SELECT * FROM metric WHERE scenario_id IN (SELECT scenario_id FROM scenario WHERE study = 'hpc_memory'))
    ON metric IN ('utilisation', 'mean_response_s', 'mean_wait_s', 'reconfigurations', 'moved_gb')
    USING first(value) GROUP BY scenario_id
),
ours AS (
    SELECT scenario.* REPLACE (coalesce(dialect, '') AS dialect), measures.* EXCLUDE (scenario_id)
    FROM scenario JOIN measures USING (scenario_id)
    WHERE NOT scenario.timeline
)
SELECT
    ours.scenario_id,
    family AS workload,
    kind, trace, shapes, batch, load, release, job_nodes, memory_law, law_spread, laws, jobs,
    ours.nodes,
    ours.scheduler, ours.memory_per_node_gb, alpha, ours.tau_s, ours.reconfiguration, backfilling, dialect,
    free_start, ours.largest_by, ours.knowledge,
    coalesce(ours.knowledge = workload.knowledge, true) AS knows_as_usual,
    alpha = 0.03 AND ours.tau_s = CASE kind WHEN 'dynamic' THEN workload.tau_s ELSE 1 END
        AND ours.reconfiguration = 'serial' AND backfilling = 'easy' AND NOT free_start
        AND ours.largest_by = 'memory' AND knows_as_usual AS is_default,
    ours.utilisation,
    baseline.utilisation AS unlimited_utilisation,
    1 - ours.utilisation / baseline.utilisation AS loss,
    ours.mean_response_s,
    baseline.mean_response_s AS unlimited_response_s,
    ours.mean_wait_s,
    baseline.mean_wait_s AS unlimited_wait_s,
    ours.reconfigurations,
    ours.moved_gb
FROM ours
JOIN workload USING (workload_id)
LEFT JOIN (
    SELECT workload_id, alpha, backfilling, dialect, utilisation, mean_response_s, mean_wait_s
    FROM ours WHERE scheduler = 'unlimited'
) AS baseline USING (workload_id, alpha, backfilling, dialect);
