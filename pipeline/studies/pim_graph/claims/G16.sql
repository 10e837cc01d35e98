/*
source: "thesis, Section 7.5.1, Figure 25"
statement: Amazon gains more of queues in hardware than Pokec, having the larger diameter.
unit: per cent
parts:
  4 stacks: more
  8 stacks: more
  16 stacks: more
kind: more
configuration: how much longer software takes on amazon, less that on pokec, per cent; BFS with migration, QR 640, sources paired by number; stand-ins; replicates are sources, settings are CL and how atomics reserve slots, where all stacks were replayed
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND algorithm = 'bfs' AND scheduler = 'migration' AND graph IN ('amazon', 'pokec') AND qr = 640
*/
WITH pair AS (
    SELECT
        graph, stacks, batch, setting, queue, cycles,
        coalesce(nullif(regexp_replace(setting, '(, )?per enqueue', ''), ''), 'default') AS cost
    FROM pim_graph_result
    WHERE kind = 'stand_in' AND whole AND algorithm = 'bfs' AND scheduler = 'migration' AND graph IN ('amazon', 'pokec')
        AND qr = 640
),
slower AS (
    SELECT graph, stacks, batch, software.setting, 100 * (software.cycles / hardware.cycles - 1) AS percent
    FROM pair AS software JOIN pair AS hardware USING (graph, stacks, batch, cost)
    WHERE software.queue = 'software' AND hardware.queue = 'pim'
)
SELECT setting, stacks || ' stacks' AS part, batch AS replicate, amazon.percent - pokec.percent AS value
FROM slower AS amazon JOIN slower AS pokec USING (setting, stacks, batch)
WHERE amazon.graph = 'amazon' AND pokec.graph = 'pokec'
QUALIFY count(DISTINCT stacks) OVER (PARTITION BY setting) = 3
