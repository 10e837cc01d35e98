-- Which scheduler to use for one trace, in every study that replayed it: recommendation of that trace (names: FROM trace),
-- or of synthetic workloads by the name that they have there (phased, published, …).
-- columns: as recommendation
CREATE MACRO recommended_scheduler(trace_name) AS TABLE
FROM recommendation WHERE trace = trace_name;
