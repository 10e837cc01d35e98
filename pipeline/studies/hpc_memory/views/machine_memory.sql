-- Memory in use on the whole machine, from one change to the next, by the log's own starts and the phases of its jobs, or by
-- what the log says that a job used. Traces with starts.
-- trace: trace
-- time_s: when it changes [s]
-- duration_s: how long it stays [s]
-- memory_gb: memory in use by all jobs [GB]
-- share: of the memory of the machine; null where the trace does not state that of a node [1]
CREATE VIEW machine_memory AS
WITH piece AS (
    SELECT
        trace,
        start_s + coalesce(sum(duration_s) OVER (
            PARTITION BY trace, job_id, node ORDER BY phase ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0) AS begin_s,
        duration_s, memory_gb * CASE WHEN node IS NULL THEN nodes ELSE 1 END AS gb
    FROM phase JOIN job USING (trace, job_id)
    WHERE start_s IS NOT NULL
    -- Where nodes were sampled one by one they are added up; the job's own row is their mean or most.
    QUALIFY node IS NOT NULL OR count(node) OVER (PARTITION BY trace, job_id) = 0
    UNION ALL
    SELECT trace, start_s, coalesce(end_s - start_s, runtime_s), used_memory_gb * nodes
    FROM job ANTI JOIN phase USING (trace, job_id)
    WHERE start_s IS NOT NULL AND used_memory_gb IS NOT NULL
),
change AS (
    SELECT trace, time_s, sum(gb) AS gb
    FROM (SELECT trace, begin_s AS time_s, gb FROM piece UNION ALL SELECT trace, begin_s + duration_s, -gb FROM piece)
    GROUP BY trace, time_s
)
SELECT
    trace, time_s, lead(time_s) OVER of_trace - time_s AS duration_s,
    greatest(0, round(sum(gb) OVER of_trace, 6)) AS memory_gb,
    memory_gb * coalesce(cores_per_node, 1) / (trace.nodes * node_memory_gb) AS share
FROM change JOIN trace USING (trace)
WINDOW of_trace AS (PARTITION BY trace ORDER BY time_s)
QUALIFY duration_s IS NOT NULL
ORDER BY trace, time_s;
