-- What a given memory per node comes to for one trace (or one kind of synthetic workload): for each scheduler its results
-- at the largest size that was tried and is at most this, at the default parameters (memory_per_node_gb says which). Raises
-- an error where the trace has no results, or where every size that was tried is larger. The best come first: those whose
-- response time grows by no more than the configuration accepts (hpc_memory.response_bound), and of them those that lose
-- least.
-- trace: trace the jobs come from, or the kind of a synthetic workload
-- workload: workload without its batch
-- scheduler: scheduler
-- asked_gb: memory per node that is asked for [GB]
-- memory_per_node_gb: size that was tried and that the results are of, at most asked_gb [GB]
-- next_gb: next larger size that was tried; null = none [GB]
-- utilisation: utilisation after the warm-up [1]
-- loss: its loss against unlimited memory on the same jobs [1]
-- loss_lo: lower end of its 95 % interval; null = no interval, too few blocks [1]
-- loss_hi: upper end [1]
-- response_ratio: mean response time over that with unlimited memory [1]
-- wait_s: mean waiting time [s]
-- wait_ratio: the same over that with unlimited memory; null where nobody waits there [1]
-- blocks: spans of time, or batches, that the interval is resampled from [1]
-- assumed: what is assumed of the memory, in words; null = nothing
CREATE MACRO at_memory(trace_name, gb) AS TABLE
WITH tried AS MATERIALIZED (
    SELECT
        steady.*, assumed,
        coalesce(trace, kind) AS trace,
        lead(memory_per_node_gb) OVER (PARTITION BY workload, scheduler ORDER BY memory_per_node_gb) AS next_gb
    FROM steady_hpc_memory AS steady JOIN hpc_memory_basis USING (workload)
    WHERE memory_per_node_gb IS NOT NULL
),
mine AS (
    FROM tried WHERE trace = known_name(trace_name, (SELECT list(DISTINCT trace) FROM tried), 'trace')
)
SELECT
    trace, workload, scheduler, gb::DOUBLE AS asked_gb, memory_per_node_gb, next_gb, utilisation, loss, loss_lo, loss_hi,
    response_ratio, wait_s, wait_ratio, blocks, assumed
FROM mine
WHERE memory_per_node_gb <= CASE
    WHEN gb >= (SELECT min(memory_per_node_gb) FROM mine) THEN gb
    ELSE error(
        'no size up to ' || gb || ' GB per node was tried; the smallest is '
        || (SELECT min(memory_per_node_gb) FROM mine) || ' GB'
    )::DOUBLE
END
QUALIFY row_number() OVER (PARTITION BY workload, scheduler ORDER BY memory_per_node_gb DESC) = 1
ORDER BY
    workload,
    response_ratio - 1 > coalesce((SELECT max(value::DOUBLE) FROM setting WHERE key = 'hpc_memory.response_bound'), 0.1),
    loss, response_ratio, scheduler;
