-- What the answers about each workload of hpc_memory rest on: how much of the log, which machine, whose memory, and what
-- of it is assumed.
-- workload: workload without its batch
-- kind: phased, dynamic, replayed or composed
-- trace: trace the jobs, or the laws they are drawn from, come from; null for others
-- shapes: trace that lends a composed workload its memory; null for others
-- jobs: jobs of all batches
-- log_jobs: jobs of the log; null where no log is replayed
-- share_of_log: share of the log's jobs that are replayed; null where no log is [1]
-- nodes: size of the machine [unit]
-- unit: what nodes counts: node or core; null where no log is replayed
-- nodes_origin: where a log's machine size comes from, as in trace; peak and largest_job are assumed
-- per: what sizes of memory are of: node; core where cores are counted and nobody knows how many a node has
-- cores_per_node: cores of a node where nodes counts cores and they are known, else 1
-- node_memory_gb: memory per node that savings are counted from; null = not known, or savings would be made up [GB]
-- offered_load: node time of the jobs over that of the machine between first and last release; mean over batches [1]
-- memory_origin: measured, default_like, default, requested, assumed, generated, synthetic or fitted
-- memory_assumed: share of node time whose memory is assumed [1]
-- mean_memory_gb: mean memory per node in use, by node time [GB]
-- assumed_mean_gb: mean_memory_gb where nobody measured or stated it: all sizes are then multiples of it, and no amounts; null = they are amounts [GB]
-- assumed: what is assumed of the memory, in words; null = nothing
-- warnings: what makes answers doubtful, in words; null = nothing known
CREATE VIEW hpc_memory_basis AS
WITH family AS (
    SELECT
        family AS workload, kind, trace, shapes, nodes, cores_per_node, node_memory_gb, origin, memory_origin,
        sum(jobs)::BIGINT AS jobs, avg(offered_load) AS offered_load, avg(memory_assumed) AS memory_assumed,
        avg(mean_memory_gb) AS mean_memory_gb
    FROM workload
    GROUP BY ALL
),
told AS (
    SELECT
        family.*,
        family.kind IN ('replayed', 'composed') AS of_log,
        family.kind IN ('replayed', 'composed') AND coalesce(nodes_origin IN ('peak', 'largest_job'), false) AS size_assumed,
        family.kind = 'composed' AND mean_memory_stated_gb IS NOT NULL AS mean_stated,
        trace.jobs AS trace_jobs, trace.unit AS trace_unit, trace.nodes_origin AS trace_nodes_origin, trace.warnings
            AS trace_warnings
    FROM family LEFT JOIN trace USING (trace)
)
SELECT
    workload, kind, trace, shapes, jobs,
    CASE WHEN of_log THEN trace_jobs END AS log_jobs,
    CASE WHEN of_log THEN least(jobs / nullif(trace_jobs, 0), 1) END AS share_of_log,
    nodes,
    CASE WHEN of_log THEN trace_unit END AS unit,
    CASE WHEN of_log THEN trace_nodes_origin END AS nodes_origin,
    CASE WHEN of_log AND cores_per_node = 1 THEN coalesce(trace_unit, 'node') ELSE 'node' END AS per,
    cores_per_node,
    CASE
        WHEN memory_assumed <= 0.05 AND memory_origin NOT IN ('default_like', 'default', 'requested', 'fitted') AND NOT size_assumed
            AND (coalesce(trace_unit, 'node') = 'node' OR cores_per_node > 1)
            THEN node_memory_gb
    END AS node_memory_gb,
    offered_load, memory_origin, memory_assumed, mean_memory_gb,
    CASE WHEN kind = 'composed' AND NOT mean_stated OR memory_origin = 'default' THEN mean_memory_gb END AS assumed_mean_gb,
    CASE
        WHEN kind = 'composed'
            THEN 'memory is assumed: ' || coalesce('series of ' || shapes, 'documented laws') || CASE
                WHEN mean_stated THEN ', scaled to the mean that trace.yaml states'
                ELSE '. Nobody states its mean'
            END
        WHEN memory_assumed > 0
            THEN printf('memory of %.1f %% of the node time is assumed: that of other jobs of the log', 100 * memory_assumed)
    END AS assumed,
    CASE WHEN of_log THEN trace_warnings END AS warnings
FROM told
ORDER BY workload;
