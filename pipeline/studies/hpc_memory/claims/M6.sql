/*
source: "HiPC 2024, Section VI-A.1, Figure 4"
statement: From 105 to 150 GB per node Aggregated stays below every disaggregated scheduler (Priority, Oldest-First, Largest-First).
unit: yes/no
paper_value: 1
kind: yes_no
configuration: phased workloads at every memory size of the grid from 105 to 150 GB per node, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s; settings vary load, rule of release, law of memory and of nodes, what a reconfiguration takes, and whether a start waits for it, and the size of a job (its nodes)
scenarios: hpc_memory_paper WHERE kind = 'phased' AND scheduler IN ('priority', 'oldest_first', 'largest_first', 'aggregated') AND memory_per_node_gb BETWEEN 105 AND 150 AND alpha = 0.03 AND tau_s = 1
*/
WITH sizes AS (
    SELECT
        setting, batch, memory_per_node_gb,
        max(utilisation) FILTER (scheduler = 'aggregated')
            < min(utilisation) FILTER (scheduler IN ('priority', 'oldest_first', 'largest_first')) AS below
    FROM hpc_memory_paper
    WHERE kind = 'phased' AND memory_per_node_gb BETWEEN 105 AND 150 AND alpha = 0.03 AND tau_s = 1
    GROUP BY ALL
)
SELECT setting, batch AS replicate, bool_and(below) AS value
FROM sizes
GROUP BY ALL
