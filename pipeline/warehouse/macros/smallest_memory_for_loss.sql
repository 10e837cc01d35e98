-- How much memory is enough for one trace (or one kind of synthetic workload) and any loss that one accepts; the view of
-- this name has all of them, for the losses of the configuration. docs/capacity.md
-- columns: as smallest_memory_at
CREATE MACRO smallest_memory_for_loss(trace_name, accepted_loss) AS TABLE
FROM smallest_memory_at(
    [accepted_loss],
    coalesce((SELECT max(value::DOUBLE) FROM setting WHERE key = 'hpc_memory.response_bound'), 0.1)
) WHERE trace = trace_name;
