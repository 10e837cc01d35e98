-- How true a replay of one dropped log is, under the dialect of the queue that is closest to it. A name that is not there
-- is an error.
-- columns: as closest_dialects
CREATE MACRO closest_dialect(trace_name) AS TABLE
FROM closest_dialects
WHERE trace = known_name(trace_name, (SELECT list(trace) FROM closest_dialects), 'trace');
