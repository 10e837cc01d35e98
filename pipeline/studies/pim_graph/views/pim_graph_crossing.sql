-- Where two policies cross: the QR up to which the first is faster and from which the second is, between the QR that were
-- replayed by a straight line through the logarithms of their times' ratio (geometric means over sources).
-- graph: graph
-- kind: stand_in or dropped
-- algorithm: bfs, sssp or bc
-- stacks: stacks of memory [1]
-- scheduler: policy that is faster below
-- other: policy that is faster above
-- qr: where they cross [cycles]
-- qr_below: QR below it that was replayed [cycles]
-- qr_above: QR above it that was replayed [cycles]
CREATE VIEW pim_graph_crossing AS
WITH pair AS (
    SELECT
        a.graph, a.kind, a.algorithm, a.stacks, a.scheduler, b.scheduler AS other, a.qr AS qr_above,
        ln(a.time / b.time) AS above,
        lag(ln(a.time / b.time)) OVER line AS below,
        lag(a.qr) OVER line AS qr_below
    FROM pim_graph_curve AS a JOIN pim_graph_curve AS b USING (graph, kind, algorithm, stacks, qr)
    WHERE a.scheduler <> b.scheduler
    WINDOW line AS (PARTITION BY a.graph, a.kind, a.algorithm, a.stacks, a.scheduler, b.scheduler ORDER BY a.qr)
)
SELECT
    graph, kind, algorithm, stacks, scheduler, other,
    qr_below - below * (qr_above - qr_below) / (above - below) AS qr, qr_below, qr_above
FROM pair
WHERE below < 0 AND above >= 0
ORDER BY graph, algorithm, stacks, scheduler, other, qr;
