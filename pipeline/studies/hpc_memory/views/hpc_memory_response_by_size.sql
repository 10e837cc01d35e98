-- Response time by job size, scheduler and memory per node, means over the batches of each workload, those of dropped
-- traces included; EASY by instant, serial reconfiguration.
-- workload: workload without its batch
-- kind: phased, dynamic, replayed or composed
-- trace: trace the jobs come from; null for synthetic ones
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
WITH means AS (
    SELECT
        workload, kind, trace, scheduler, memory_per_node_gb, alpha, tau_s, size, smallest_nodes,
        count(*) AS batches,
        avg(response.mean_response_s) AS response_s,
        stddev_samp(response.mean_response_s) / sqrt(count(*)) AS error_s
    FROM hpc_memory_response AS response JOIN hpc_memory_result USING (scenario_id)
    WHERE reconfiguration = 'serial' AND backfilling = 'easy' AND NOT free_start AND largest_by = 'memory'
        AND knows_as_usual
    GROUP BY ALL
)
SELECT
    workload, kind, trace, scheduler, memory_per_node_gb, alpha, tau_s, size, smallest_nodes, batches,
    response_s AS mean_response_s,
    response_s - t * error_s AS mean_response_lo_s,
    response_s + t * error_s AS mean_response_hi_s
FROM means LEFT JOIN student_t ON replicates = batches
ORDER BY workload, scheduler, alpha, tau_s, memory_per_node_gb, smallest_nodes;
