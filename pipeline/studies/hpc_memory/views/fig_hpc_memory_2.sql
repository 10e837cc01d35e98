-- Memory over time of example jobs, of the job as a whole and of each of its nodes (paper, Figures 2a to 2c): of each
-- trace and temporal class the job with the most node-seconds.
-- trace: trace
-- temporal_class: constant, phased, dynamic or sporadic
-- job_id: job
-- nodes: nodes of the job; null = not known
-- node: node; null = the job as a whole (mean over its nodes at each time, or maximum: fit.node_memory)
-- phase: position of the phase, from 0
-- from_s: start of the phase, at full speed, since the start of the job [s]
-- to_s: end of the phase [s]
-- memory_gb: memory need per node [GB]
CREATE VIEW fig_hpc_memory_2 AS
WITH example AS (
    SELECT temporal_class.trace, temporal_class, temporal_class.job_id, job.nodes
    FROM temporal_class LEFT JOIN job USING (trace, job_id)
    QUALIFY row_number() OVER (
        PARTITION BY temporal_class.trace, temporal_class
        ORDER BY duration_s * coalesce(job.nodes, 1) DESC, temporal_class.job_id
    ) = 1
)
SELECT
    trace, temporal_class, job_id, nodes, node, phase,
    sum(duration_s) OVER so_far - duration_s AS from_s,
    sum(duration_s) OVER so_far AS to_s,
    memory_gb
FROM example JOIN phase USING (trace, job_id)
WINDOW so_far AS (PARTITION BY trace, job_id, node ORDER BY phase)
ORDER BY trace, temporal_class, node NULLS FIRST, phase;
