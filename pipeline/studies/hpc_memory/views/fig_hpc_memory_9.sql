-- Response time of Stochastic by job size and memory per node, with the unlimited baseline, dynamic workloads (paper, Figure 9).
-- scheduler: stochastic, or unlimited (the baseline)
-- memory_per_node_gb: fast memory of the machine divided by its nodes; null = unlimited [GB]
-- size: class of job size, by nodes
-- smallest_nodes: smallest size of the class [1]
-- batches: independent batches [1]
-- mean_response_s: mean time from release to end [s]
-- mean_response_lo_s: lower end of its 95 % interval [s]
-- mean_response_hi_s: upper end of its 95 % interval [s]
CREATE VIEW fig_hpc_memory_9 AS
SELECT
    scheduler, memory_per_node_gb, size, smallest_nodes, batches, mean_response_s, mean_response_lo_s,
    mean_response_hi_s
FROM hpc_memory_response_by_size
WHERE workload IN (SELECT workload FROM hpc_memory_paper WHERE setting = 'default' AND kind = 'dynamic')
    AND kind = 'dynamic' AND scheduler IN ('stochastic', 'unlimited') AND alpha = 0.03 AND tau_s = 1
ORDER BY memory_per_node_gb, scheduler, smallest_nodes;
