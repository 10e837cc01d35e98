-- Results in the paper's configuration and under other readings of it: synthetic workloads on 54 nodes, the paper's five
-- schedulers and the baseline, EASY by instant, each job's own law known, the largest number of jobs a batch that was run.
-- scenario_id: scenario
-- setting: 'default' (jobs of 1..23 nodes, load 0.9, beta law of memory, serial reconfiguration), or what differs from it
-- kind: phased or dynamic
-- workload: workload without its batch
-- batch: batch
-- scheduler: scheduler
-- memory_per_node_gb: fast memory of the machine divided by its nodes; null = unlimited [GB]
-- alpha: speed of a job without fast memory [1]
-- tau_s: duration of a reconfiguration; of dynamic workloads also the length of a phase [s]
-- utilisation: useful node-seconds until the last release, as a share of all [1]
-- unlimited_utilisation: the same with unlimited memory [1]
-- normalised: utilisation / unlimited_utilisation [1]
-- loss: 1 - normalised [1]
CREATE VIEW hpc_memory_paper AS
SELECT
    scenario_id,
    coalesce(nullif(concat_ws(
        ', ',
        CASE WHEN release = 'load' AND load <> 0.9 THEN format('load {}', load) END,
        CASE WHEN release = 'printed' THEN 'printed release' END,
        CASE WHEN job_nodes = 'marconi100' THEN 'nodes by C_m' END,
        CASE WHEN kind = 'phased' AND memory_law <> 'beta' THEN memory_law || ' memory' END,
        law_spread,
        CASE WHEN reconfiguration <> 'serial' THEN reconfiguration END,
        CASE WHEN free_start THEN 'free start' END,
        CASE WHEN largest_by <> 'memory' THEN 'largest by ' || largest_by END
    ), ''), 'default') AS setting,
    kind, workload, batch, scheduler, memory_per_node_gb, alpha, tau_s, utilisation, unlimited_utilisation,
    utilisation / unlimited_utilisation AS normalised, loss
FROM hpc_memory_result
WHERE kind IN ('phased', 'dynamic') AND laws = 'documented' AND nodes = 54 AND backfilling = 'easy'
    AND coalesce(knowledge, 'own') = 'own'
    AND scheduler IN ('unlimited', 'aggregated', 'priority', 'stochastic', 'oldest_first', 'largest_first')
QUALIFY jobs = max(jobs) OVER (PARTITION BY kind);
