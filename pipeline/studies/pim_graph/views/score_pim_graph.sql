-- What recommends a scheduler in pim_graph: time, at the default parameters with queues in hardware, where at least two policies were replayed.
-- study: study
-- question: number of the question
-- trace: graph
-- kind: stand_in or dropped
-- algorithm: bfs, sssp or bc
-- stacks: stacks of memory [1]
-- qr: QR, access to remote memory [cycles]
-- scheduler: scheduler
-- replicate: source
-- drawn: whether replicates are drawn at random
-- score: log of the baseline's time over its own; without a baseline of 1 over its own [1]
-- local_accesses: accesses to a core's own stack [1]
-- remote_accesses: accesses to other stacks [1]
CREATE VIEW score_pim_graph AS
WITH ran AS (
    SELECT * FROM pim_graph_result WHERE whole AND setting = 'default' AND queue = 'pim'
)
SELECT
    'pim_graph' AS study, hash(graph, kind, algorithm, stacks, qr) AS question, graph AS trace, kind, algorithm, stacks, qr,
    scheduler, batch::VARCHAR AS replicate, true AS drawn, coalesce(ln(base.cycles), 0) - ln(ran.cycles) AS score,
    local_accesses, remote_accesses
FROM ran
LEFT JOIN (SELECT graph, kind, algorithm, stacks, qr, batch, cycles FROM ran WHERE scheduler = 'baseline') AS base
    USING (graph, kind, algorithm, stacks, qr, batch)
QUALIFY min(scheduler) OVER (PARTITION BY graph, kind, algorithm, stacks, qr)
    < max(scheduler) OVER (PARTITION BY graph, kind, algorithm, stacks, qr);
