/*
source: "HiPC 2024, Section VI-A.2, Figure 6a"
statement: For every alpha Oldest-First and Priority differ by about 1 % of utilisation at most.
unit: share
parts: {alpha 0.01: 0.01, alpha 0.03: 0.01, alpha 0.1: 0.01, alpha 0.3: 0.01, alpha 0.5: 0.01}
digit: 0.01
kind: at_most
configuration: phased workloads, largest difference over the memory sizes of the grid from 105 GB a node, nodes uniform 1..23, load 0.9, tau 1 s; settings vary the load, those where every alpha was run
differs: "It hangs on the load: at 0.8 the claim holds for every alpha; at 0.9 the difference exceeds the margin at alpha 0.3 alone, at 1.0 at nearly all."
scenarios: hpc_memory_paper WHERE kind = 'phased' AND scheduler IN ('priority', 'oldest_first') AND memory_per_node_gb >= 105 AND tau_s = 1
*/
WITH compared AS (
    SELECT
        setting, batch, alpha,
        max(abs(oldest.utilisation / priority.utilisation - 1)) AS difference
    FROM hpc_memory_paper AS priority
    JOIN hpc_memory_paper AS oldest USING (setting, kind, batch, memory_per_node_gb, alpha, tau_s)
    WHERE kind = 'phased' AND tau_s = 1 AND memory_per_node_gb >= 105
        AND priority.scheduler = 'priority' AND oldest.scheduler = 'oldest_first'
    GROUP BY ALL
)
SELECT setting, format('alpha {}', alpha) AS part, batch AS replicate, difference AS value
FROM compared
WHERE alpha IN (0.01, 0.03, 0.1, 0.3, 0.5)
QUALIFY max(alpha) OVER (PARTITION BY setting) = 0.5 AND min(alpha) OVER (PARTITION BY setting) = 0.01
