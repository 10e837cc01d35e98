-- What the answers about each workload of memory_tiers rest on: whose jobs, which machine, and what is assumed.
-- workload: workload without its batch
-- trace: trace that the jobs come from
-- nodes: nodes of the machine
-- node_memory_gb: memory per node that savings are counted from; null = not known, or too much is assumed to count any [GB]
-- jobs: jobs of all batches
-- offered_load: node time of the jobs over that of the machine between first and last release; mean over batches [1]
-- mean_memory_gb: mean memory per node in use, by node time [GB]
-- mean_request_gb: mean memory that is requested per node, by node time [GB]
-- memory_assumed: share of node time whose memory is assumed [1]
-- request_assumed: share of node time whose request is assumed [1]
-- request_raised: share of node time whose request is below its use and raised to it [1]
-- sensitivity_assumed: share of node time whose sensitivity to pool memory is assumed [1]
-- origin: measured or generated, as the trace is
-- assumed: what is assumed, in words
-- warnings: what makes answers doubtful, in words; null = nothing known
CREATE VIEW memory_tiers_basis AS
WITH family AS (
    SELECT
        family AS workload, trace, nodes, node_memory_gb, sum(jobs)::BIGINT AS jobs, avg(offered_load) AS offered_load,
        avg(mean_memory_gb) AS mean_memory_gb, avg(mean_request_gb) AS mean_request_gb,
        avg(memory_assumed) AS memory_assumed, avg(request_assumed) AS request_assumed,
        avg(request_raised) AS request_raised, avg(sensitivity_assumed) AS sensitivity_assumed, origin
    FROM workload_memory_tiers
    GROUP BY ALL
)
SELECT
    family.* REPLACE (CASE
        WHEN memory_assumed <= 0.05 AND coalesce(memory_origin, 'measured') NOT IN ('default_like', 'default', 'requested')
            AND coalesce(nodes_origin, '') NOT IN ('peak', 'largest_job') AND coalesce(unit, 'node') = 'node'
            THEN node_memory_gb
    END AS node_memory_gb),
    concat_ws(
        '; ',
        CASE
            WHEN sensitivity_assumed = 1 THEN 'what the pool does to a job is assumed (classes of Pond)'
            WHEN sensitivity_assumed > 0
                THEN printf(
                    'what the pool does to a job is assumed for %.1f %% of the node time (classes of Pond)',
                    100 * sensitivity_assumed
                )
        END,
        CASE WHEN request_assumed > 0 THEN printf('requests of %.1f %% of the node time are assumed', 100 * request_assumed) END,
        CASE
            WHEN memory_assumed > 0
                THEN printf('memory of %.1f %% of the node time is assumed: that of other jobs of the log', 100 * memory_assumed)
        END,
        CASE WHEN memory_origin = 'requested' THEN 'what jobs used is what they requested' END
    ) AS assumed,
    warnings
FROM family LEFT JOIN (SELECT trace, memory_origin, nodes_origin, unit, warnings FROM trace) USING (trace)
ORDER BY workload;
