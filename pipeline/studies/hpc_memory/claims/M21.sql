/*
source: "HiPC 2024, Section VI-B.1, Figure 8"
statement: On dynamic workloads Stochastic performs better than Aggregated when memory is constrained.
unit: points of utilisation
parts: {105 GB: more, 125 GB: more}
kind: more
configuration: dynamic workloads, utilisation of Stochastic less that of Aggregated, batch by batch, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s = length of a phase; settings vary load, law of nodes, what a reconfiguration takes, and whether a start waits for it, those where both sizes were run
scenarios: hpc_memory_paper WHERE kind = 'dynamic' AND scheduler IN ('stochastic', 'aggregated') AND memory_per_node_gb IN (105, 125) AND alpha = 0.03 AND tau_s = 1
*/
SELECT
    setting, format('{:.0f} GB', memory_per_node_gb) AS part, batch AS replicate,
    stochastic.utilisation - aggregated.utilisation AS value
FROM hpc_memory_paper AS stochastic
JOIN hpc_memory_paper AS aggregated USING (setting, kind, batch, memory_per_node_gb, alpha, tau_s)
WHERE kind = 'dynamic' AND memory_per_node_gb IN (105, 125) AND alpha = 0.03 AND tau_s = 1
    AND stochastic.scheduler = 'stochastic' AND aggregated.scheduler = 'aggregated'
QUALIFY count(DISTINCT memory_per_node_gb) OVER (PARTITION BY setting) = 2
