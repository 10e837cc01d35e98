-- What a given memory per node comes to for one trace (or one kind of synthetic workload): for each scheduler its results
-- at the largest size that was tried and is at most this, at the default parameters. Only sizes that were replayed have
-- results, and those near a loss bound differ by scheduler: memory_per_node_gb says which size it is. Raises an error where
-- the trace has no results, or where every size that was tried is larger.
-- trace: trace the jobs come from, or the kind of a synthetic workload
-- workload: workload without its batch
-- scheduler: scheduler
-- asked_gb: memory per node that is asked for [GB]
-- memory_per_node_gb: size that was tried and that the results are of, at most asked_gb [GB]
-- next_gb: next larger size that was tried; null = none [GB]
-- utilisation: mean utilisation [1]
-- loss: mean loss against unlimited memory on the same jobs [1]
-- loss_lo: lower end of its 95 % interval; null for one batch [1]
-- loss_hi: upper end; null for one batch [1]
-- response_ratio: mean response time over that with unlimited memory [1]
-- wait_ratio: mean waiting time over that with unlimited memory [1]
-- batches: independent batches [1]
CREATE MACRO at_memory(trace_name, gb) AS TABLE
WITH tried AS MATERIALIZED (
    SELECT
        *,
        coalesce(trace_id, kind) AS trace,
        lead(memory_per_node_gb) OVER (PARTITION BY workload, scheduler ORDER BY memory_per_node_gb) AS next_gb
    FROM hpc_memory_summary
    WHERE is_default AND memory_per_node_gb IS NOT NULL
),
mine AS (
    FROM tried WHERE trace = known_name(trace_name, (SELECT list(DISTINCT trace) FROM tried), 'trace')
)
SELECT
    trace, workload, scheduler, gb::DOUBLE AS asked_gb, memory_per_node_gb, next_gb, utilisation, loss, loss_lo, loss_hi,
    response_ratio, wait_ratio, batches
FROM mine
WHERE memory_per_node_gb <= CASE
    WHEN gb >= (SELECT min(memory_per_node_gb) FROM mine) THEN gb
    ELSE error(
        'no size up to ' || gb || ' GB per node was tried; the smallest is '
        || (SELECT min(memory_per_node_gb) FROM mine) || ' GB'
    )::DOUBLE
END
QUALIFY row_number() OVER (PARTITION BY workload, scheduler ORDER BY memory_per_node_gb DESC) = 1
ORDER BY workload, loss, scheduler;
