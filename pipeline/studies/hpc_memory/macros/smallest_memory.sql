-- How much memory is enough for any loss that you accept: smallest_memory_for_loss for the workloads of one trace (or of
-- one kind of synthetic workload) and one loss. A name that is not there is an error.
-- columns: as smallest_memory_at
CREATE MACRO smallest_memory(trace_name, accepted_loss) AS TABLE
WITH every AS MATERIALIZED (
    FROM smallest_memory_at(
        [accepted_loss],
        coalesce((SELECT max(value::DOUBLE) FROM setting WHERE key = 'hpc_memory.response_bound'), 0.1)
    )
)
FROM every WHERE trace = known_name(trace_name, (SELECT list(DISTINCT trace) FROM every), 'trace');
