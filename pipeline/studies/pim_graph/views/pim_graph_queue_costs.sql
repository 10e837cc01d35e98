-- Time of each policy as one cost of queues or of local memory grows, over the baseline's at the same costs, QR and source:
-- geometric means over sources, Student's t intervals on the logarithms. Stand-ins, BFS, queues in hardware, else default.
-- graph: graph
-- scale: vertices over those of the graph that is stood in for [1]
-- stacks: stacks of memory [1]
-- qr: QR, access to remote memory [cycles]
-- cost: S (service of a queue), E (interval of a core's enqueues) or QL (access to local memory)
-- cycles: what it is [cycles]
-- scheduler: policy
-- batches: sources, those that were replayed with every value of the cost [1]
-- time: time over that of the baseline [1]
-- time_lo: lower end of its 95 % interval; null for one source [1]
-- time_hi: upper end; null for one source [1]
-- place: order of the policies by time, from 1 [1]
CREATE VIEW pim_graph_queue_costs AS
WITH ran AS (
    SELECT
        graph, scale, stacks, qr, batch, cost.name AS cost, cost.value AS cost_cycles, scheduler,
        ln(cycles / base_cycles) AS time
    FROM pim_graph_result
    JOIN (SELECT graph, scale, algorithm, stacks, qr, setting, batch, cycles AS base_cycles FROM pim_graph_result
        WHERE scheduler = 'baseline' AND kind = 'stand_in' AND queue = 'pim') AS base
        USING (graph, scale, algorithm, stacks, qr, setting, batch)
    JOIN LATERAL (VALUES ('S', s, format('s {}', s)), ('E', e, format('e {}', e)), ('QL', ql, format('ql {}', ql)))
        AS cost (name, value, own) ON setting IN ('default', own)
    WHERE kind = 'stand_in' AND algorithm = 'bfs' AND queue = 'pim'
),
counted AS (
    SELECT graph, scale, stacks, qr, cost, batch, count(DISTINCT cost_cycles) AS n FROM ran GROUP BY ALL
),
tried AS (
    FROM counted WHERE n > 1 QUALIFY n = max(n) OVER (PARTITION BY graph, scale, stacks, qr, cost)
),
mean AS (
    SELECT
        graph, scale, stacks, qr, cost, cost_cycles AS cycles, scheduler, count(*) AS batches, avg(time) AS time,
        stddev_samp(time) / sqrt(count(*)) AS error
    FROM ran SEMI JOIN tried USING (graph, scale, stacks, qr, cost, batch)
    GROUP BY ALL
)
SELECT
    graph, scale, stacks, qr, cost, cycles, scheduler, batches, exp(time) AS time,
    exp(time - t * error) AS time_lo, exp(time + t * error) AS time_hi,
    rank() OVER (PARTITION BY graph, scale, stacks, qr, cost, cycles ORDER BY round(time, 9)) AS place
FROM mean AS of_sources LEFT JOIN student_t ON replicates = batches
ORDER BY graph, scale, stacks, qr, cost, cycles, place, scheduler;
