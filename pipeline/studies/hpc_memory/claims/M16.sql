/*
source: "HiPC 2024, Section VI-B.1 on Figure 8"
statement: In very rare cases Stochastic or Aggregated with less memory (as 200 GB) do better than the baseline, because slower jobs change the order in which jobs run.
unit: yes/no
parts: {at most a tenth of the cases better than the baseline: yes, jobs start in another order where they are: yes}
kind: yes_no
configuration: dynamic workloads; cases are Stochastic and Aggregated at the memory sizes of the grid from 105 to 200 GB per node, batch by batch; another order is some two jobs whose starts are exchanged; batches without such a case say nothing on the second part; nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s = length of a phase; settings vary the load, those where 200 GB was run, and what is rare
scenarios: hpc_memory_paper WHERE kind = 'dynamic' AND (scheduler = 'unlimited' OR scheduler IN ('stochastic', 'aggregated') AND memory_per_node_gb BETWEEN 105 AND 200 AND alpha = 0.03 AND tau_s = 1)
*/
WITH cases AS (
    SELECT
        setting, batch, ours.scenario_id, ours.utilisation > ours.unlimited_utilisation AS better,
        baseline.scenario_id AS baseline_id
    FROM hpc_memory_paper AS ours
    JOIN (SELECT workload, batch, alpha, scenario_id FROM hpc_memory_paper WHERE scheduler = 'unlimited') AS baseline
        USING (workload, batch, alpha)
    WHERE kind = 'dynamic' AND scheduler IN ('stochastic', 'aggregated') AND memory_per_node_gb BETWEEN 105 AND 200
        AND alpha = 0.03 AND tau_s = 1
    QUALIFY max(memory_per_node_gb) OVER (PARTITION BY setting) = 200
),
started AS (
    SELECT cases.scenario_id, ours.job_id, ours.start_s, baseline.start_s AS baseline_start_s
    FROM cases
    JOIN outcome_hpc_memory AS ours USING (scenario_id)
    JOIN outcome_hpc_memory AS baseline ON baseline.scenario_id = baseline_id AND baseline.job_id = ours.job_id
    WHERE better
),
exchanged AS (
    SELECT
        scenario_id,
        baseline_start_s < max(baseline_start_s) OVER (
            PARTITION BY scenario_id ORDER BY start_s, baseline_start_s ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS exchanged
    FROM started
),
reordered AS (SELECT scenario_id, bool_or(exchanged) AS reordered FROM exchanged GROUP BY ALL),
threshold (share, named) AS (VALUES (0.1, NULL), (0.05, 'rare up to a twentieth'), (0.2, 'rare up to a fifth')),
judged AS (
    SELECT coalesce(named, setting) AS setting, batch, scenario_id, better, share
    FROM cases CROSS JOIN threshold
    WHERE named IS NULL OR setting = 'default'
)
SELECT
    setting, 'at most a tenth of the cases better than the baseline' AS part, batch AS replicate,
    avg(better::INTEGER) <= any_value(share) AS value
FROM judged
GROUP BY ALL
UNION ALL
SELECT setting, 'jobs start in another order where they are', batch, bool_and(reordered)
FROM judged JOIN reordered USING (scenario_id)
GROUP BY ALL
