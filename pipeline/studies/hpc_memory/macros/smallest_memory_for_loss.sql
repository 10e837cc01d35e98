-- How much memory is enough for one trace (or one kind of synthetic workload) and any loss that you accept; the view of
-- this name has all of them, for the losses of the configuration. A name that is not there is an error. docs/guides/capacity.md
-- columns: as smallest_memory_at
CREATE MACRO smallest_memory_for_loss(trace_name, accepted_loss) AS TABLE
FROM smallest_memory(trace_name, accepted_loss);
