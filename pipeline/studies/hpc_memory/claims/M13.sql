/*
source: "HiPC 2024, Sections VI-A.1 and VI-B.1, Figures 5 and 9"
statement: No jobs are arbitrarily hurt, whatever their size and even when memory is small.
unit: yes/no
parts:
  Priority, 1–6 nodes: always
  Priority, 7–12 nodes: always
  Priority, 13–18 nodes: always
  Priority, 19–24 nodes: always
  Stochastic, 1–6 nodes: always
  Stochastic, 7–12 nodes: always
  Stochastic, 13–18 nodes: always
  Stochastic, 19–24 nodes: always
kind: always
configuration: Priority on phased, Stochastic on dynamic workloads; a class of size is hurt arbitrarily where, at some memory size of the grid, its response time grows against unlimited memory more than 1.5 times as much as that of all jobs; in each batch, and only where memory is small enough for all jobs to be slower by 1 % at some size; nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s; settings vary load, from what on a class is hurt, what a reconfiguration takes, and whether a start waits for it
scenarios: hpc_memory_paper WHERE scheduler = 'unlimited' OR (kind = 'phased' AND scheduler = 'priority' OR kind = 'dynamic' AND scheduler = 'stochastic') AND alpha = 0.03 AND tau_s = 1 AND setting NOT IN ('nodes by C_m', 'largest by nodes')
*/
WITH run AS (
    SELECT
        setting, paper.workload, paper.batch, paper.alpha, scenario_id, paper.kind, paper.scheduler,
        mean_response_s / unlimited_response_s AS all_slower_by
    FROM hpc_memory_paper AS paper JOIN hpc_memory_result USING (scenario_id)
    WHERE (paper.kind = 'phased' AND paper.scheduler = 'priority'
            OR paper.kind = 'dynamic' AND paper.scheduler = 'stochastic')
        AND paper.alpha = 0.03 AND paper.tau_s = 1 AND setting NOT IN ('nodes by C_m', 'largest by nodes')
    -- A setting that one of the two was not run in cannot tell.
    QUALIFY count(DISTINCT paper.kind) OVER (PARTITION BY setting) = 2
),
response AS (SELECT * FROM hpc_memory_response),
threshold (times, named) AS (VALUES (1.5, NULL), (1.2, 'hurt from 1.2 times on'), (2.0, 'hurt from 2 times on')),
hurt AS (
    SELECT
        coalesce(named, setting) AS setting, run.scheduler, batch, size,
        bool_and(response.mean_response_s / unlimited.mean_response_s <= times * all_slower_by)
            AND bool_or(all_slower_by > 1.01) AS value
    FROM run
    JOIN response USING (scenario_id)
    JOIN (
        SELECT workload, batch, alpha, size, mean_response_s
        FROM hpc_memory_paper JOIN response USING (scenario_id)
        WHERE scheduler = 'unlimited'
    ) AS unlimited USING (workload, batch, alpha, size)
    CROSS JOIN threshold
    WHERE named IS NULL OR setting = 'default'
    GROUP BY ALL
)
SELECT
    setting,
    CASE scheduler WHEN 'priority' THEN 'Priority, ' ELSE 'Stochastic, ' END || size AS part,
    batch AS replicate,
    value
FROM hurt
