-- What a rule of backfilling is worth over EASY, on the same jobs, machine and memory scheduler, with all other parameters at
-- their defaults. Geometric means over batches, with 95 % intervals (Student's t on the logarithms).
-- workload: workload without its batch
-- kind: phased, dynamic, replayed or composed
-- trace: trace the jobs come from; null for drawn ones
-- backfilling: rule of backfilling
-- scheduler: scheduler of the memory
-- memory_per_node_gb: fast memory of the machine divided by its nodes; null = unlimited [GB]
-- batches: independent batches [1]
-- utilisation: utilisation over that under EASY [1]
-- utilisation_lo: lower end of its 95 % interval; null for one batch [1]
-- utilisation_hi: upper end [1]
-- response: mean response time over that under EASY; below 1 is faster [1]
-- response_lo: lower end of its 95 % interval; null for one batch [1]
-- response_hi: upper end [1]
CREATE VIEW hpc_memory_backfilling AS
WITH usual AS (
    SELECT *
    FROM hpc_memory_result
    WHERE alpha = 0.03 AND tau_s = 1 AND reconfiguration = 'serial' AND dialect = '' AND NOT free_start
        AND largest_by = 'memory' AND coalesce(knowledge, 'own') IN ('own', 'history')
),
mean AS (
    SELECT
        workload, kind, trace, rule.backfilling, scheduler, memory_per_node_gb, count(*) AS batches,
        avg(ln(rule.utilisation / easy.utilisation)) AS utilisation,
        stddev_samp(ln(rule.utilisation / easy.utilisation)) / sqrt(count(*)) AS utilisation_error,
        avg(ln(rule.mean_response_s / easy.mean_response_s)) AS response,
        stddev_samp(ln(rule.mean_response_s / easy.mean_response_s)) / sqrt(count(*)) AS response_error
    FROM (FROM usual WHERE backfilling <> 'easy') AS rule
    JOIN (
        SELECT workload, batch, scheduler, memory_per_node_gb AS size, utilisation, mean_response_s
        FROM usual
        WHERE is_default
    ) AS easy USING (workload, batch, scheduler)
    WHERE easy.size IS NOT DISTINCT FROM memory_per_node_gb
    GROUP BY ALL
)
SELECT
    workload, kind, trace, backfilling, scheduler, memory_per_node_gb, batches,
    exp(utilisation) AS utilisation,
    exp(utilisation - t * utilisation_error) AS utilisation_lo,
    exp(utilisation + t * utilisation_error) AS utilisation_hi,
    exp(response) AS response,
    exp(response - t * response_error) AS response_lo,
    exp(response + t * response_error) AS response_hi
FROM mean LEFT JOIN student_t ON replicates = batches
ORDER BY workload, backfilling, scheduler, memory_per_node_gb;
