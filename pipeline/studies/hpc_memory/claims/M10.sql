/*
source: "HiPC 2024, Section VI-B.1, Figure 8"
statement: With dynamic memory and 150 GB a node Stochastic loses less than 2 % against unlimited memory.
unit: share
paper_value: 0.02
digit: 0.01
kind: at_most
configuration: dynamic workloads, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s = length of a phase; settings vary load, law of nodes, what a reconfiguration takes, and whether a start waits for it
scenarios: hpc_memory_paper WHERE kind = 'dynamic' AND (scheduler = 'unlimited' OR scheduler = 'stochastic' AND memory_per_node_gb = 150 AND alpha = 0.03 AND tau_s = 1)
*/
SELECT setting, batch AS replicate, loss AS value
FROM hpc_memory_paper
WHERE kind = 'dynamic' AND scheduler = 'stochastic' AND memory_per_node_gb = 150 AND alpha = 0.03 AND tau_s = 1
