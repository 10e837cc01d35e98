/*
source: "HiPC 2024, Sections VI-A.1 and VI-B.1, Figures 5 and 9"
statement: No jobs are arbitrarily hurt, whatever their size and even when memory is small.
unit: yes/no
parts:
  Priority, 1–6 nodes: 1
  Priority, 7–12 nodes: 1
  Priority, 13–18 nodes: 1
  Priority, 19–24 nodes: 1
  Stochastic, 1–6 nodes: 1
  Stochastic, 7–12 nodes: 1
  Stochastic, 13–18 nodes: 1
  Stochastic, 19–24 nodes: 1
kind: yes_no
configuration: Priority on phased, Stochastic on dynamic workloads; a class of size is hurt arbitrarily where, at some memory size of the grid, its response time grows against unlimited memory more than 1.5 times as much as that of all jobs; nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s; settings vary load, what a reconfiguration takes, and whether a start waits for it
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
hurt AS (
    SELECT
        setting, run.scheduler, batch, size,
        bool_and(response.mean_response_s / unlimited.mean_response_s <= 1.5 * all_slower_by) AS value
    FROM run
    JOIN response USING (scenario_id)
    JOIN (
        SELECT workload, batch, alpha, size, mean_response_s
        FROM hpc_memory_paper JOIN response USING (scenario_id)
        WHERE scheduler = 'unlimited'
    ) AS unlimited USING (workload, batch, alpha, size)
    GROUP BY ALL
)
SELECT
    setting,
    CASE scheduler WHEN 'priority' THEN 'Priority, ' ELSE 'Stochastic, ' END || size AS part,
    batch AS replicate,
    value
FROM hurt
