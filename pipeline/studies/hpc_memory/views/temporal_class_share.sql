-- How jobs use memory over time: share of each temporal class in each trace (Peng et al., MEMSYS 2021; the rules are
-- those of pipeline/fit/temporal.py).
-- trace: trace
-- temporal_class: constant, phased, dynamic or sporadic
-- jobs: jobs of the class [1]
-- job_share: their share of the trace's jobs whose memory is known over time [1]
-- node_s: node-seconds of the class; a job of which only the memory is known counts as one node [node s]
-- node_time_share: their share of those of the trace [1]
CREATE VIEW temporal_class_share AS
WITH class AS (
    SELECT trace, temporal_class
    FROM (SELECT DISTINCT trace FROM temporal_class),
        (SELECT unnest(['constant', 'phased', 'dynamic', 'sporadic']) AS temporal_class)
),
counted AS (
    SELECT trace, temporal_class, count(*) AS jobs, sum(duration_s * coalesce(nodes, 1)) AS node_s
    FROM temporal_class LEFT JOIN job USING (trace, job_id)
    GROUP BY ALL
)
SELECT
    trace, temporal_class,
    coalesce(jobs, 0) AS jobs,
    coalesce(jobs, 0) / sum(jobs) OVER (PARTITION BY trace) AS job_share,
    coalesce(node_s, 0) AS node_s,
    coalesce(node_s, 0) / sum(node_s) OVER (PARTITION BY trace) AS node_time_share
FROM class LEFT JOIN counted USING (trace, temporal_class)
ORDER BY trace, temporal_class;
