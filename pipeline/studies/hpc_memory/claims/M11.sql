/*
source: "HiPC 2024, Section VI-B.1, Figure 8"
statement: With dynamic memory and 105 GB a node Stochastic reaches 80 % of utilisation.
unit: share
parts: {utilisation: 0.8, share of the utilisation with unlimited memory: 0.8}
digit: 0.01
kind: value
configuration: dynamic workloads, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s = length of a phase; the text says utilisation, the figure is normalised, so both are held against it; settings vary load, law of nodes, what a reconfiguration takes, and whether a start waits for it
scenarios: hpc_memory_paper WHERE kind = 'dynamic' AND (scheduler = 'unlimited' OR scheduler = 'stochastic' AND memory_per_node_gb = 105 AND alpha = 0.03 AND tau_s = 1)
*/
SELECT setting, part, batch AS replicate, value
FROM (
    UNPIVOT (
        SELECT
            setting, batch, utilisation,
            normalised AS "share of the utilisation with unlimited memory"
        FROM hpc_memory_paper
        WHERE kind = 'dynamic' AND scheduler = 'stochastic' AND memory_per_node_gb = 105 AND alpha = 0.03 AND tau_s = 1
    )
    ON utilisation, "share of the utilisation with unlimited memory" INTO NAME part VALUE value
)
