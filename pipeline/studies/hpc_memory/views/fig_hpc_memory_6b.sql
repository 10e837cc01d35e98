-- Utilisation of Priority, normalised by unlimited memory, for several alpha, phased workloads (paper, Figure 6b).
-- alpha: speed of a job without fast memory [1]
-- memory_per_node_gb: fast memory of the machine divided by its nodes [GB]
-- batches: independent batches [1]
-- utilisation: mean utilisation, not normalised [1]
-- normalised: mean utilisation as a share of that with unlimited memory on the same jobs [1]
-- normalised_lo: lower end of its 95 % interval [1]
-- normalised_hi: upper end of its 95 % interval [1]
CREATE VIEW fig_hpc_memory_6b AS
SELECT
    alpha, memory_per_node_gb, batches, utilisation,
    ratio AS normalised, ratio_lo AS normalised_lo, ratio_hi AS normalised_hi
FROM hpc_memory_paper_ratio
WHERE kind = 'phased' AND scheduler = 'priority' AND other = 'unlimited' AND tau_s = 1
ORDER BY alpha, memory_per_node_gb;
