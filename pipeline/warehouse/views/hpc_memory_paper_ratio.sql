-- Utilisation of one scheduler over that of another, batch by batch on the same jobs, in the paper's default setting:
-- means with 95 % intervals (Student's t; null for one batch).
-- kind: phased or dynamic
-- scheduler: scheduler
-- other: scheduler it is compared with
-- memory_per_node_gb: fast memory of the machine divided by its nodes [GB]
-- alpha: speed of a job without fast memory [1]
-- tau_s: duration of a reconfiguration; of dynamic workloads also the length of a phase [s]
-- batches: independent batches [1]
-- ratio: mean of utilisation / utilisation of the other [1]
-- ratio_lo: lower end of its interval [1]
-- ratio_hi: upper end of its interval [1]
CREATE VIEW hpc_memory_paper_ratio AS
WITH means AS (
    SELECT
        kind, ours.scheduler, other.scheduler AS other, memory_per_node_gb, alpha, tau_s,
        count(*) AS batches,
        avg(ours.utilisation / other.utilisation) AS ratio,
        stddev_samp(ours.utilisation / other.utilisation) / sqrt(count(*)) AS error
    FROM hpc_memory_paper AS ours
    JOIN hpc_memory_paper AS other USING (setting, kind, batch, memory_per_node_gb, alpha, tau_s)
    WHERE setting = 'default' AND ours.scheduler <> other.scheduler
    GROUP BY ALL
)
SELECT
    kind, scheduler, other, memory_per_node_gb, alpha, tau_s, batches,
    ratio, ratio - t * error AS ratio_lo, ratio + t * error AS ratio_hi
FROM means LEFT JOIN student_t ON replicates = batches
ORDER BY ALL;
