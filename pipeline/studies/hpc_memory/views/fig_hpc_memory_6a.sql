-- Utilisation of Oldest-First over that of Priority for several alpha, phased workloads (paper, Figure 6a).
-- alpha: speed of a job without fast memory [1]
-- memory_per_node_gb: fast memory of the machine divided by its nodes [GB]
-- batches: independent batches [1]
-- relative: mean of utilisation of Oldest-First / utilisation of Priority on the same jobs; above 1 Oldest-First is better [1]
-- relative_lo: lower end of its 95 % interval [1]
-- relative_hi: upper end of its 95 % interval [1]
CREATE VIEW fig_hpc_memory_6a AS
SELECT
    alpha, memory_per_node_gb, batches, ratio AS relative, ratio_lo AS relative_lo, ratio_hi AS relative_hi
FROM hpc_memory_paper_ratio
WHERE kind = 'phased' AND scheduler = 'oldest_first' AND other = 'priority' AND tau_s = 1
ORDER BY alpha, memory_per_node_gb;
