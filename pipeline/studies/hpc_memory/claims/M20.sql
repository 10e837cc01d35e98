/*
source: "HiPC 2024, Section VI-A.1, Figure 4"
statement: With 125 GB per node Priority outperforms the other heuristics.
unit: points of utilisation
parts: {over Oldest-First: more, over Largest-First: more}
kind: more
configuration: phased workloads at 125 GB per node, utilisation of Priority less that of the other, batch by batch, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s; settings vary load, rule of release, law of memory and of nodes, what a reconfiguration takes, and whether a start waits for it, and the size of a job (its nodes)
scenarios: hpc_memory_paper WHERE kind = 'phased' AND scheduler IN ('priority', 'oldest_first', 'largest_first') AND memory_per_node_gb = 125 AND alpha = 0.03 AND tau_s = 1
*/
SELECT
    setting, CASE other.scheduler WHEN 'oldest_first' THEN 'over Oldest-First' ELSE 'over Largest-First' END AS part,
    batch AS replicate, priority.utilisation - other.utilisation AS value
FROM hpc_memory_paper AS priority
JOIN hpc_memory_paper AS other USING (setting, kind, batch, memory_per_node_gb, alpha, tau_s)
WHERE kind = 'phased' AND memory_per_node_gb = 125 AND alpha = 0.03 AND tau_s = 1 AND priority.scheduler = 'priority'
    AND other.scheduler IN ('oldest_first', 'largest_first')
