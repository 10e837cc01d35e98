-- Utilisation of Priority, normalised by unlimited memory, for several lengths of a reconfiguration, with Aggregated,
-- which reconfigures nothing, beside it (paper, Figure 7).
-- scheduler: priority or aggregated
-- phase_length_over_tau: mean length of a phase over the duration of a reconfiguration, r; null for Aggregated [1]
-- tau_s: duration of a reconfiguration; null for Aggregated [s]
-- memory_per_node_gb: fast memory of the machine divided by its nodes [GB]
-- batches: independent batches [1]
-- utilisation: mean utilisation, not normalised [1]
-- normalised: mean utilisation as a share of that with unlimited memory on the same jobs [1]
-- normalised_lo: lower end of its 95 % interval [1]
-- normalised_hi: upper end of its 95 % interval [1]
CREATE VIEW fig_hpc_memory_7 AS
SELECT
    scheduler,
    -- E(L_m) = 1000 s is the law that the phases of these workloads are drawn from.
    CASE WHEN scheduler = 'priority' THEN 1000 / run.tau_s END AS phase_length_over_tau,
    CASE WHEN scheduler = 'priority' THEN run.tau_s END AS tau_s,
    memory_per_node_gb, batches, utilisation,
    ratio AS normalised, ratio_lo AS normalised_lo, ratio_hi AS normalised_hi
FROM hpc_memory_paper_ratio AS run
WHERE kind = 'phased' AND other = 'unlimited' AND alpha = 0.03
    AND (scheduler = 'priority' AND run.tau_s > 0 OR scheduler = 'aggregated' AND run.tau_s = 1)
ORDER BY phase_length_over_tau, memory_per_node_gb;
