-- How much memory is enough: the least memory per node of the grid whose mean loss stays within a bound.
-- study: study
-- trace: trace the jobs come from, or the kind of a synthetic workload
-- workload: workload without its batch
-- scheduler: scheduler
-- loss_bound: loss against unlimited memory that is accepted [1]
-- memory_per_node_gb: least memory per node that keeps it; null = none of the grid does [GB]
-- loss: mean loss there [1]
-- loss_lo: lower end of its 95 % interval [1]
-- loss_hi: upper end of its 95 % interval [1]
CREATE VIEW smallest_memory_for_loss AS
WITH bound AS (SELECT unnest([0.005, 0.01, 0.02, 0.05]::DOUBLE[]) AS loss_bound),
run AS (
    SELECT * FROM hpc_memory_summary
    WHERE memory_per_node_gb IS NOT NULL AND loss IS NOT NULL AND alpha = 0.03 AND (tau_s = 1 OR kind = 'dynamic')
        AND reconfiguration = 'serial' AND backfilling = 'easy' AND NOT free_start AND largest_by = 'memory'
),
-- A size is enough where it and every larger one keep the bound: a single lucky size is not.
enough AS (
    SELECT
        run.*, loss_bound,
        max(loss) OVER (
            PARTITION BY workload, scheduler, loss_bound ORDER BY memory_per_node_gb DESC
        ) AS worst_from_here
    FROM run CROSS JOIN bound
),
kept AS (
    SELECT *, row_number() OVER (PARTITION BY workload, scheduler, loss_bound ORDER BY memory_per_node_gb) AS place
    FROM enough WHERE worst_from_here <= loss_bound
)
SELECT
    'hpc_memory' AS study, coalesce(run.trace_id, run.kind) AS trace, run.workload, run.scheduler, run.loss_bound,
    kept.memory_per_node_gb, kept.loss, kept.loss_lo, kept.loss_hi
FROM (SELECT DISTINCT workload, scheduler, loss_bound, trace_id, kind FROM enough) AS run
LEFT JOIN kept
    ON kept.workload = run.workload AND kept.scheduler = run.scheduler AND kept.loss_bound = run.loss_bound
    AND place = 1
ORDER BY trace, run.workload, run.loss_bound, run.scheduler;
