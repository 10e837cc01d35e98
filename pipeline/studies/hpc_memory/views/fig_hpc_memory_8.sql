-- Utilisation, normalised by unlimited memory, against memory per node, dynamic workloads (paper, Figure 8).
-- scheduler: scheduler
-- memory_per_node_gb: fast memory of the machine divided by its nodes; null = unlimited [GB]
-- batches: independent batches [1]
-- utilisation: mean utilisation, not normalised [1]
-- normalised: mean utilisation as a share of that with unlimited memory on the same jobs [1]
-- normalised_lo: lower end of its 95 % interval [1]
-- normalised_hi: upper end of its 95 % interval [1]
CREATE VIEW fig_hpc_memory_8 AS
SELECT scheduler, memory_per_node_gb, batches, utilisation, normalised, normalised_lo, normalised_hi
FROM hpc_memory_paper_summary
WHERE setting = 'default' AND kind = 'dynamic' AND alpha = 0.03 AND tau_s = 1
ORDER BY memory_per_node_gb, scheduler;
