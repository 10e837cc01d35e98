-- Time of BFS with migration where queues are moved by software atomics and in hardware, over that of queues in hardware on
-- 4 stacks at the same QR (thesis, Figure 25): means over sources.
-- graph: graph
-- setting: default, or the parameters that differ from it
-- stacks: stacks of memory [1]
-- qr: QR, access to remote memory [cycles]
-- batches: sources [1]
-- hardware: time with queues in hardware [1]
-- software: time with software atomics [1]
-- slower: how much longer software takes [%]
-- slower_lo: lower end of its 95 % interval; null for one source [%]
-- slower_hi: upper end; null for one source [%]
CREATE VIEW fig_pim_graph_25 AS
WITH hardware AS (
    SELECT graph, qr, batch, stacks, regexp_replace(setting, '(, )?per enqueue', '') AS cost, cycles
    FROM pim_graph_result
    WHERE kind = 'stand_in' AND whole AND algorithm = 'bfs' AND scheduler = 'migration' AND queue = 'pim'
),
ran AS (
    SELECT
        software.graph, software.setting, software.stacks, software.qr,
        hardware.cycles / four.cycles AS hardware, software.cycles / four.cycles AS software,
        100 * (software.cycles / hardware.cycles - 1) AS slower
    FROM pim_graph_result AS software
    JOIN hardware
        ON hardware.graph = software.graph AND hardware.qr = software.qr AND hardware.batch = software.batch
        AND hardware.stacks = software.stacks
        AND hardware.cost = coalesce(nullif(regexp_replace(software.setting, '(, )?per enqueue', ''), ''), 'default')
    JOIN hardware AS four
        ON four.graph = software.graph AND four.qr = software.qr AND four.batch = software.batch
        AND four.stacks = 4 AND four.cost = hardware.cost
    WHERE software.kind = 'stand_in' AND whole AND algorithm = 'bfs' AND scheduler = 'migration' AND queue = 'software'
)
SELECT
    graph, setting, stacks, qr, count(*) AS batches, avg(hardware) AS hardware, avg(software) AS software,
    avg(slower) AS slower,
    avg(slower) - any_value(t) * stddev_samp(slower) / sqrt(count(*)) AS slower_lo,
    avg(slower) + any_value(t) * stddev_samp(slower) / sqrt(count(*)) AS slower_hi
FROM (SELECT *, count(*) OVER (PARTITION BY graph, setting, stacks, qr) AS n FROM ran)
LEFT JOIN student_t ON replicates = n
GROUP BY graph, setting, stacks, qr
ORDER BY graph, setting, stacks, qr;
