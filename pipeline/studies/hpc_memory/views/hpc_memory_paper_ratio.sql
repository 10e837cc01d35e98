-- Utilisation of one scheduler over that of another, batch by batch on the same jobs, for several alpha and tau, in the
-- paper's default setting: means with 95 % intervals (Student's t; null for one batch). Only batches count that every
-- alpha and tau was run on, so that these can be compared with each other.
-- kind: phased or dynamic
-- scheduler: scheduler
-- other: scheduler it is compared with; unlimited = the baseline of the figures
-- memory_per_node_gb: fast memory of the machine divided by its nodes [GB]
-- alpha: speed of a job without fast memory [1]
-- tau_s: duration of a reconfiguration; of dynamic workloads also the length of a phase [s]
-- batches: independent batches [1]
-- utilisation: mean utilisation [1]
-- ratio: mean of utilisation / utilisation of the other [1]
-- ratio_lo: lower end of its interval [1]
-- ratio_hi: upper end of its interval [1]
CREATE VIEW hpc_memory_paper_ratio AS
WITH run AS (SELECT * FROM hpc_memory_paper WHERE setting = 'default' AND scheduler <> 'unlimited'),
batch_machines AS (SELECT kind, batch, count(DISTINCT (alpha, tau_s)) AS machines FROM run GROUP BY ALL),
shared AS (SELECT kind, batch FROM batch_machines QUALIFY machines = max(machines) OVER (PARTITION BY kind)),
pair AS (
    SELECT kind, batch, scheduler, 'unlimited' AS other, memory_per_node_gb, alpha, tau_s, utilisation, normalised AS ratio
    FROM run
    UNION ALL
    SELECT
        kind, batch, run.scheduler, other.scheduler, memory_per_node_gb, alpha, tau_s, run.utilisation,
        run.utilisation / other.utilisation
    FROM run JOIN run AS other USING (kind, batch, memory_per_node_gb, alpha, tau_s)
    WHERE run.scheduler <> other.scheduler
),
means AS (
    SELECT
        kind, scheduler, other, memory_per_node_gb, alpha, tau_s,
        count(*) AS batches, avg(utilisation) AS utilisation, avg(ratio) AS ratio,
        stddev_samp(ratio) / sqrt(count(*)) AS error
    FROM pair JOIN shared USING (kind, batch)
    GROUP BY ALL
)
SELECT
    kind, scheduler, other, memory_per_node_gb, alpha, tau_s, batches, utilisation,
    ratio, ratio - t * error AS ratio_lo, ratio + t * error AS ratio_hi
FROM means LEFT JOIN student_t ON replicates = batches
ORDER BY ALL;
