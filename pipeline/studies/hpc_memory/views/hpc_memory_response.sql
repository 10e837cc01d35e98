-- Mean response time by job size in each scenario. Sizes are in four classes of equal width, up to the largest job that
-- the workload has in any batch (1..6, 7..12, 13..18 and 19..24 nodes where jobs have up to 23).
-- scenario_id: scenario
-- size: class of job size, by nodes
-- smallest_nodes: smallest size of the class [1]
-- jobs: jobs of the class [1]
-- mean_response_s: mean time from release to end [s]
CREATE VIEW hpc_memory_response AS
WITH width AS (
    SELECT family, greatest(ceil(max(job.nodes) / 4)::BIGINT, 1) AS nodes
    FROM job_hpc_memory AS job JOIN workload USING (workload_id)
    GROUP BY ALL
),
-- Classes are put to the jobs of a workload before these meet its outcomes, which are a hundred times as many. An outcome
-- has one scenario and one job: left joins take them up one by one, inner joins are turned about until all jobs of all
-- scenarios are held at once.
classed AS (
    SELECT
        workload_id, job_id, submit_s, (job.nodes - 1) // width.nodes * width.nodes AS below, width.nodes AS width
    FROM job_hpc_memory AS job JOIN workload USING (workload_id) JOIN width USING (family)
),
by_class AS (
    SELECT scenario_id, below, width, count(*) AS jobs, avg(end_s - submit_s) AS mean_response_s
    FROM (
        SELECT scenario_id, job_id, end_s, workload_id
        FROM outcome_hpc_memory LEFT JOIN scenario USING (scenario_id)
        WHERE coalesce(NOT timeline, false)
    )
    LEFT JOIN classed USING (workload_id, job_id)
    GROUP BY ALL
)
SELECT
    scenario_id,
    CASE
        WHEN width = 1 THEN format('{} nodes', below + 1)
        ELSE format('{}–{} nodes', below + 1, below + width)
    END AS size,
    below + 1 AS smallest_nodes,
    jobs,
    mean_response_s
FROM by_class;
