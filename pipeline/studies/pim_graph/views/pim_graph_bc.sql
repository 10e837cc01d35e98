-- Betweenness centrality from every vertex, and what some of them tell of it: the time of every vertex by the mean of k roots,
-- drawn without replacement, with 95 % intervals over the draws (Student's t on the logarithms). One root is drawn from the
-- core, as everywhere else; several are drawn from all vertices, of which some reach little.
-- graph: road, amazon, pokec or google of a stand-in, else the trace
-- kind: stand_in or dropped
-- scale: vertices over those of the graph that is stood in for; null for dropped graphs [1]
-- stacks: stacks of memory [1]
-- qr: QR, access to remote memory [cycles]
-- scheduler: policy
-- roots: vertices that it ran from [1]
-- batches: independent draws of so many roots [1]
-- time: time over that of the baseline from the same roots [1]
-- time_lo: lower end of its 95 % interval; null for one draw [1]
-- time_hi: upper end; null for one draw [1]
-- exact: time over that of the baseline from every vertex; null where it was not replayed [1]
-- cycles: estimate of the time of every vertex: vertices times the mean of a root [cycles]
-- cycles_lo: lower end of its 95 % interval; null for one draw [cycles]
-- cycles_hi: upper end; null for one draw [cycles]
-- exact_cycles: time of every vertex; null where it was not replayed [cycles]
CREATE VIEW pim_graph_bc AS
WITH ran AS (
    SELECT
        graph, kind, scale, stacks, qr, scheduler, roots, roots = vertices AS is_all,
        ln(cycles * vertices / roots) AS cycles,
        ln(cycles / max(cycles) FILTER (scheduler = 'baseline') OVER (PARTITION BY graph, kind, scale, stacks, qr, roots, batch))
            AS time
    FROM pim_graph_result
    WHERE algorithm = 'bc' AND setting = 'default' AND queue = 'pim'
),
mean AS (
    SELECT
        graph, kind, scale, stacks, qr, scheduler, roots, is_all, count(*) AS batches,
        avg(time) AS time, stddev_samp(time) / sqrt(count(*)) AS time_error,
        avg(cycles) AS cycles, stddev_samp(cycles) / sqrt(count(*)) AS cycles_error
    FROM ran
    GROUP BY ALL
)
SELECT
    graph, kind, scale, stacks, qr, scheduler, roots, batches,
    exp(time) AS time, exp(time - t * time_error) AS time_lo, exp(time + t * time_error) AS time_hi,
    exp(max(time) FILTER (is_all) OVER machine) AS exact,
    exp(cycles) AS cycles, exp(cycles - t * cycles_error) AS cycles_lo, exp(cycles + t * cycles_error) AS cycles_hi,
    exp(max(cycles) FILTER (is_all) OVER machine) AS exact_cycles
FROM mean LEFT JOIN student_t ON replicates = batches
WINDOW machine AS (PARTITION BY graph, kind, scale, stacks, qr, scheduler)
QUALIFY count(*) OVER machine > 1
ORDER BY graph, kind, scale, stacks, qr, scheduler, roots;
