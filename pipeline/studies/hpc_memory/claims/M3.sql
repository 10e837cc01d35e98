/*
source: "HiPC 2024, Section VI-B.1 on Figure 4"
statement: With 105 GB a node Priority reaches 85 % of utilisation on phased workloads.
unit: share
paper_value: 0.85
digit: 0.01
kind: value
configuration: phased workloads, utilisation not normalised as in Figure 4, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s; settings vary load, rule of release, law of memory and of nodes, what a reconfiguration takes, and whether a start waits for it
scenarios: hpc_memory_paper WHERE kind = 'phased' AND scheduler = 'priority' AND memory_per_node_gb = 105 AND alpha = 0.03 AND tau_s = 1 AND setting <> 'largest by nodes'
*/
SELECT setting, batch AS replicate, utilisation AS value
FROM hpc_memory_paper
WHERE kind = 'phased' AND scheduler = 'priority' AND memory_per_node_gb = 105 AND alpha = 0.03 AND tau_s = 1
    AND setting <> 'largest by nodes'
