-- Results in the paper's configuration: synthetic workloads on 54 nodes, jobs of 1..23 nodes, tau 1 s, the largest number
-- of jobs a batch that was run; load and memory law vary, 0.9 and beta being the default reading.
-- setting: default, or what differs from it
-- kind: phased or dynamic
-- workload: workload without its batch
-- batch: batch
-- scheduler: scheduler
-- memory_per_node_gb: fast memory of the machine divided by its nodes; null = unlimited [GB]
-- alpha: speed of a job without fast memory [1]
-- utilisation: useful node-seconds until the last release, as a share of all [1]
-- unlimited_utilisation: the same with unlimited memory [1]
-- loss: 1 - utilisation / unlimited_utilisation [1]
CREATE VIEW hpc_memory_paper AS
SELECT
    CASE
        WHEN load = 0.9 AND memory_law IN ('beta', 'truncated normal') THEN 'default'
        WHEN kind = 'dynamic' THEN format('load {}', load)
        ELSE format('load {}, {} memory', load, memory_law)
    END AS setting,
    kind, workload, batch, scheduler, memory_per_node_gb, alpha, utilisation, unlimited_utilisation, loss
FROM hpc_memory_result
WHERE kind IN ('phased', 'dynamic') AND nodes = 54 AND job_nodes = 'uniform' AND release = 'load' AND tau_s = 1
    AND reconfiguration = 'serial' AND backfilling = 'easy' AND NOT free_start AND largest_by = 'memory' AND grid = 'coarse'
    AND jobs = (SELECT max(jobs) FROM hpc_memory_result AS other WHERE other.kind = hpc_memory_result.kind);
