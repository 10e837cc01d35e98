/*
source: "HiPC 2024, Section VII and abstract"
statement: Memory can be halved, from 256 GB a node to 125, for a loss of 0.7 % (conclusion), an insignificant one (abstract).
unit: GB a node
parts: {0.7 % lost: 125, 1 % lost: 128}
digit: 1
kind: at_most
configuration: phased workloads, Priority; memory down to which the loss stays within the bound, interpolated linearly between the sizes of the grid (the ends of the grid where it does not reach so far); insignificant is read as 1 % at half of 256 GB; nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s; settings vary load, rule of release, law of memory and of nodes, what a reconfiguration takes, and whether a start waits for it
differs: "As with M2 it hangs on the load: at 0.8 and 0.84 the paper's amounts of memory lie in the intervals, at 0.9 a loss of 0.7 % takes about 140 GB a node."
scenarios: hpc_memory_paper WHERE kind = 'phased' AND (scheduler = 'unlimited' OR scheduler = 'priority' AND alpha = 0.03 AND tau_s = 1) AND setting <> 'largest by nodes'
*/
WITH run AS (
    SELECT setting, batch, memory_per_node_gb AS gb, loss, bound, part
    FROM hpc_memory_paper, (VALUES (0.007, '0.7 % lost'), (0.01, '1 % lost')) AS bounds(bound, part)
    WHERE kind = 'phased' AND scheduler = 'priority' AND alpha = 0.03 AND tau_s = 1 AND setting <> 'largest by nodes'
),
step AS (
    SELECT *, lead(gb) OVER next AS next_gb, lead(loss) OVER next AS next_loss, min(gb) OVER all_sizes AS least_gb
    FROM run
    WINDOW next AS (PARTITION BY setting, batch, part ORDER BY gb), all_sizes AS (PARTITION BY setting, batch, part)
)
SELECT
    setting, part, batch AS replicate,
    coalesce(
        max(
            CASE
                WHEN next_gb IS NULL THEN gb
                ELSE gb + (next_gb - gb) * least(1, (loss - bound) / (loss - next_loss))
            END
        ) FILTER (loss > bound),
        min(least_gb)
    ) AS value
FROM step
GROUP BY ALL
