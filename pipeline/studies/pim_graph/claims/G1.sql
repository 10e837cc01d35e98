/*
source: "thesis, Section 7.5.1, Figure 25"
statement: Software atomics are slower than queues in hardware in all cases.
unit: yes/no
paper_value: 1
kind: always
configuration: BFS with migration on amazon and pokec, every number of stacks and QR that was replayed; stand-ins; replicates are sources, settings are CL and how atomics reserve slots
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND algorithm = 'bfs' AND scheduler = 'migration' AND graph IN ('amazon', 'pokec')
*/
WITH pair AS (
    SELECT
        graph, stacks, qr, batch, setting, queue,
        coalesce(nullif(regexp_replace(setting, '(, )?per enqueue', ''), ''), 'default') AS cost, cycles
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
SELECT setting, batch AS replicate, bool_and(percent > 0) AS value
FROM slower
GROUP BY ALL
