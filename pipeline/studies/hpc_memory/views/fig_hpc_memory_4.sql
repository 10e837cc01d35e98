-- Utilisation of the schedulers against memory per node, phased workloads (paper, Figure 4).
-- scheduler: scheduler
-- memory_per_node_gb: fast memory of the machine divided by its nodes; null = unlimited [GB]
-- batches: independent batches [1]
-- utilisation: mean utilisation [1]
-- utilisation_lo: lower end of its 95 % interval [1]
-- utilisation_hi: upper end of its 95 % interval [1]
-- loss: mean loss against unlimited memory on the same jobs [1]
-- loss_lo: lower end of its 95 % interval [1]
-- loss_hi: upper end of its 95 % interval [1]
CREATE VIEW fig_hpc_memory_4 AS
SELECT
    scheduler, memory_per_node_gb, batches, utilisation, utilisation_lo, utilisation_hi,
    1 - normalised AS loss, 1 - normalised_hi AS loss_lo, 1 - normalised_lo AS loss_hi
FROM hpc_memory_paper_summary
WHERE setting = 'default' AND kind = 'phased' AND alpha = 0.03 AND tau_s = 1
ORDER BY memory_per_node_gb, scheduler;
