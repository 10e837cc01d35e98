/*
source: "HiPC 2024, Section VI-B.1, Figure 8"
statement: With dynamic memory Priority is outmatched by both Stochastic and Aggregated.
unit: yes/no
paper_value: 1
kind: yes_no
configuration: dynamic workloads at every memory size of the grid, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s = length of a phase; settings vary load, law of nodes, what a reconfiguration takes, and whether a start waits for it
scenarios: hpc_memory_paper WHERE kind = 'dynamic' AND scheduler IN ('priority', 'stochastic', 'aggregated') AND alpha = 0.03 AND tau_s = 1
*/
WITH sizes AS (
    SELECT
        setting, batch, memory_per_node_gb,
        max(utilisation) FILTER (scheduler = 'priority')
            < min(utilisation) FILTER (scheduler IN ('stochastic', 'aggregated')) AS below
    FROM hpc_memory_paper
    WHERE kind = 'dynamic' AND scheduler <> 'unlimited' AND alpha = 0.03 AND tau_s = 1
    GROUP BY ALL
)
SELECT setting, batch AS replicate, bool_and(below) AS value
FROM sizes
GROUP BY ALL
