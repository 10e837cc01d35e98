-- Which scheduler to use for one trace, in every study that replayed it: recommendation of that trace (names: FROM trace),
-- or of synthetic workloads by the name that they have there (phased, published, …).
-- A name that is not there is an error.
-- columns: as recommendation
CREATE MACRO recommended_scheduler(trace_name) AS TABLE
WITH every AS MATERIALIZED (FROM recommendation)
FROM every WHERE trace = known_name(trace_name, (SELECT list(DISTINCT trace) FROM every), 'trace');
