/*
source: "thesis, Section 7.5.1, Figure 25"
statement: Queues in hardware are faster than software atomics by up to 16.7 % on Amazon and 9.7 % on Pokec, with 4 PIMs at QR 640.
unit: per cent
parts:
  Amazon: 16.7
  Pokec: 9.7
digit: 0.1
kind: value
configuration: how much longer software takes, BFS with migration, 4 stacks, QR 640; stand-ins; replicates are sources, settings are CL and how atomics reserve slots
differs: "Why is not known: with a software atomic an enqueue, which overlaps with the work, queues in hardware gain next to nothing; with slots reserved once a task and a larger cost of an atomic the gain comes near the printed one, but the thesis does not say what it models."
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND algorithm = 'bfs' AND scheduler = 'migration' AND graph IN ('amazon', 'pokec') AND stacks = 4 AND qr = 640
*/
WITH pair AS (
    SELECT
        graph, stacks, qr, batch, setting, queue,
        coalesce(nullif(regexp_replace(setting, '(, )?per task', ''), ''), 'default') AS cost, cycles
    FROM pim_graph_result
    WHERE kind = 'stand_in' AND whole AND algorithm = 'bfs' AND scheduler = 'migration' AND graph IN ('amazon', 'pokec')
),
slower AS (
    SELECT software.graph, software.stacks, software.qr, software.batch, software.setting,
        100 * (software.cycles / hardware.cycles - 1) AS percent
    FROM pair AS software
    JOIN pair AS hardware
        ON hardware.graph = software.graph AND hardware.stacks = software.stacks AND hardware.qr = software.qr
        AND hardware.batch = software.batch AND hardware.cost = software.cost AND hardware.queue = 'pim'
    WHERE software.queue = 'software'
)
SELECT setting, CASE graph WHEN 'amazon' THEN 'Amazon' ELSE 'Pokec' END AS part, batch AS replicate, percent AS value
FROM slower
WHERE stacks = 4 AND qr = 640
