-- Response time by job size, scheduler and memory per node, synthetic workloads (paper, Figures 5 and 9).
-- workload: workload without its batch
-- kind: phased or dynamic
-- scheduler: scheduler
-- memory_per_node_gb: fast memory of the machine divided by its nodes; null = unlimited [GB]
-- alpha: speed of a job without fast memory [1]
-- tau_s: duration of a reconfiguration [s]
-- size: class of job size, by nodes
-- smallest_nodes: smallest size of the class [1]
-- batches: independent batches [1]
-- mean_response_s: mean over batches of the mean time from release to end [s]
-- mean_response_lo_s: lower end of its 95 % interval [s]
-- mean_response_hi_s: upper end of its 95 % interval [s]
CREATE VIEW hpc_memory_response_by_size AS
WITH by_batch AS (
    SELECT
        family AS workload, kind, scenario.scheduler, memory_per_node_gb, alpha,
        scenario.tau_s, batch,
        (job.nodes - 1) // 6 AS class,
        avg(end_s - submit_s) AS response_s
    FROM outcome_hpc_memory AS outcome
    JOIN scenario USING (scenario_id)
    JOIN workload USING (workload_id)
    JOIN job_hpc_memory AS job USING (workload_id, job_id)
    WHERE kind IN ('phased', 'dynamic') AND NOT scenario.timeline AND backfilling = 'easy' AND NOT free_start
        AND reconfiguration = 'serial' AND largest_by = 'memory' AND grid = 'coarse'
    GROUP BY ALL
),
means AS (
    SELECT
        workload, kind, scheduler, memory_per_node_gb, alpha, tau_s, class,
        count(*) AS batches, avg(response_s) AS response_s, stddev_samp(response_s) / sqrt(count(*)) AS error_s
    FROM by_batch GROUP BY ALL
)
SELECT
    workload, kind, scheduler, memory_per_node_gb, alpha, tau_s,
    format('{}–{} nodes', class * 6 + 1, class * 6 + 6) AS size,
    class * 6 + 1 AS smallest_nodes,
    batches,
    response_s AS mean_response_s,
    response_s - t * error_s AS mean_response_lo_s,
    response_s + t * error_s AS mean_response_hi_s
FROM means LEFT JOIN student_t ON student_t.replicates = batches
ORDER BY workload, scheduler, alpha, tau_s, memory_per_node_gb, smallest_nodes;
