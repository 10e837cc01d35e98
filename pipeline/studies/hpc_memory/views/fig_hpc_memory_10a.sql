-- Utilisation of Stochastic over that of Priority for several alpha, dynamic workloads (paper, Figure 10a).
-- alpha: speed of a job without fast memory [1]
-- memory_per_node_gb: fast memory of the machine divided by its nodes [GB]
-- batches: independent batches [1]
-- relative: mean of utilisation of Stochastic / utilisation of Priority on the same jobs; above 1 Stochastic is better [1]
-- relative_lo: lower end of its 95 % interval [1]
-- relative_hi: upper end of its 95 % interval [1]
CREATE VIEW fig_hpc_memory_10a AS
SELECT
    alpha, memory_per_node_gb, batches, ratio AS relative, ratio_lo AS relative_lo, ratio_hi AS relative_hi
FROM hpc_memory_paper_ratio
WHERE kind = 'dynamic' AND scheduler = 'stochastic' AND other = 'priority' AND tau_s = 1
ORDER BY alpha, memory_per_node_gb;
