/*
source: "HiPC 2024, Section VI-A.1, Figure 4"
statement: With 150 GB per node (150 % of the mean use) Priority loses 0.2 % of utilisation against unlimited memory.
unit: share
paper_value: 0.002
digit: 0.001
kind: value
configuration: phased workloads, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s; settings vary load, rule of release, law of memory and of nodes, what a reconfiguration takes, and whether a start waits for it
scenarios: hpc_memory_paper WHERE kind = 'phased' AND (scheduler = 'unlimited' OR scheduler = 'priority' AND memory_per_node_gb = 150 AND alpha = 0.03 AND tau_s = 1) AND setting <> 'largest by nodes'
*/
SELECT setting, batch AS replicate, loss AS value
FROM hpc_memory_paper
WHERE kind = 'phased' AND scheduler = 'priority' AND memory_per_node_gb = 150 AND alpha = 0.03 AND tau_s = 1
    AND setting <> 'largest by nodes'
