/*
source: "HiPC 2024, Section VI-B.1, Figure 8 and Section VII"
statement: With dynamic memory Stochastic takes 40 % less memory, 150 GB per node, for a loss of less than 2 % against unlimited memory; Priority loses more.
headline: Stochastic needs 40 % less memory for a loss below 2 %
unit: share
parts: {loss: 0.02, Priority loses more: more}
main: [loss]
digit: 0.01
kind: at_most
configuration: dynamic workloads at 150 GB per node, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s = length of a phase; settings vary load, law of nodes, what a reconfiguration takes, and whether a start waits for it
scenarios: hpc_memory_paper WHERE kind = 'dynamic' AND (scheduler = 'unlimited' OR scheduler IN ('stochastic', 'priority') AND memory_per_node_gb = 150 AND alpha = 0.03 AND tau_s = 1)
*/
WITH wide AS (
    SELECT
        setting, batch, max(loss) FILTER (scheduler = 'stochastic') AS ours, max(loss) FILTER (scheduler = 'priority') AS other
    FROM hpc_memory_paper
    WHERE kind = 'dynamic' AND scheduler IN ('stochastic', 'priority') AND memory_per_node_gb = 150 AND alpha = 0.03
        AND tau_s = 1
    GROUP BY ALL
)
SELECT setting, 'loss' AS part, batch AS replicate, ours AS value FROM wide
UNION ALL
SELECT setting, 'Priority loses more', batch, other - ours FROM wide
