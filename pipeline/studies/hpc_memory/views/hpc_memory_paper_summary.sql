-- Means of hpc_memory_paper over the batches, with 95 % intervals (Student's t; null for one batch).
-- setting: 'default', or what differs from it
-- kind: phased or dynamic
-- scheduler: scheduler
-- memory_per_node_gb: fast memory of the machine divided by its nodes; null = unlimited [GB]
-- alpha: speed of a job without fast memory [1]
-- tau_s: duration of a reconfiguration; of dynamic workloads also the length of a phase [s]
-- batches: independent batches [1]
-- utilisation: mean utilisation [1]
-- utilisation_lo: lower end of its interval [1]
-- utilisation_hi: upper end of its interval [1]
-- normalised: mean utilisation as a share of that with unlimited memory on the same jobs [1]
-- normalised_lo: lower end of its interval [1]
-- normalised_hi: upper end of its interval [1]
CREATE VIEW hpc_memory_paper_summary AS
WITH means AS (
    SELECT
        setting, kind, scheduler, memory_per_node_gb, alpha, tau_s,
        count(*) AS batches,
        avg(utilisation) AS utilisation,
        stddev_samp(utilisation) / sqrt(count(*)) AS utilisation_error,
        avg(normalised) AS normalised,
        stddev_samp(normalised) / sqrt(count(*)) AS normalised_error
    FROM hpc_memory_paper
    GROUP BY ALL
)
SELECT
    setting, kind, scheduler, memory_per_node_gb, alpha, tau_s, batches,
    utilisation,
    utilisation - t * utilisation_error AS utilisation_lo,
    utilisation + t * utilisation_error AS utilisation_hi,
    normalised,
    normalised - t * normalised_error AS normalised_lo,
    normalised + t * normalised_error AS normalised_hi
FROM means LEFT JOIN student_t ON replicates = batches
ORDER BY ALL;
