-- What a scheduler loses by what it knows of a job's memory before it runs, all other parameters being the defaults; workloads and
-- sizes that were replayed with at least two kinds of knowledge. docs/models/hpc_memory.md, "What a scheduler knows".
-- workload: workload without its batch
-- kind: phased, dynamic, replayed or composed
-- trace: trace the jobs come from; null for drawn ones
-- memory_per_node_gb: fast memory of the machine divided by its nodes [GB]
-- scheduler: scheduler
-- knowledge: own, given, history, trace or bins
-- is_default: whether this is what is known by default
-- batches: independent batches [1]
-- loss: mean loss of utilisation against unlimited memory on the same jobs [1]
-- loss_lo: lower end of its 95 % interval; null for one batch [1]
-- loss_hi: upper end [1]
-- response_ratio: mean response time over that with unlimited memory [1]
-- aggregated_loss: loss of Aggregated there, which knows nothing; null = not replayed [1]
CREATE VIEW hpc_memory_knowledge AS
WITH usual AS (
    SELECT *
    FROM hpc_memory_summary
    WHERE alpha = 0.03 AND tau_s = 1 AND reconfiguration = 'serial' AND backfilling = 'easy' AND NOT free_start
        AND largest_by = 'memory'
)
SELECT
    workload, kind, trace, usual.memory_per_node_gb, scheduler, knowledge, is_default, batches, loss, loss_lo, loss_hi,
    response_ratio, aggregated_loss
FROM usual
LEFT JOIN (
    SELECT workload, memory_per_node_gb, loss AS aggregated_loss FROM usual WHERE scheduler = 'aggregated'
) AS aggregated USING (workload, memory_per_node_gb)
WHERE knowledge IS NOT NULL
QUALIFY count(*) OVER (PARTITION BY workload, usual.memory_per_node_gb, scheduler) > 1
ORDER BY workload, scheduler, memory_per_node_gb, knowledge;
