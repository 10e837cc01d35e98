-- Each replay of pim_graph with its graph and its metrics, one row per scenario.
-- scenario_id: scenario
-- graph: road, amazon, pokec or google of a stand-in, else the trace
-- kind: stand_in or dropped
-- origin: generated or measured
-- scale: vertices over those of the graph that is stood in for; null for dropped graphs [1]
-- algorithm: bfs, sssp or bc
-- stacks: stacks of memory, with a core each [1]
-- qr: QR, access to remote memory [cycles]
-- ql: QL, access to local memory [cycles]
-- s: S, service of a queue [cycles]
-- e: E, interval of a core's enqueues [cycles]
-- setting: default, or the parameters that differ from it
-- is_default: whether setting is default; QR, queue and stacks are asked about
-- whole: whether figures and claims take it: on the largest stand-in, from the fewest roots, QL, S and E at their defaults
-- queue: pim or software
-- vertices: vertices of the graph [1]
-- roots: sources that bc runs from [1]
-- batch: source
-- scheduler: policy
-- cycles: time [cycles]
-- local_accesses: words accessed in local memory [1]
-- remote_accesses: words accessed in remote memory [1]
-- energy_1x: energy where a remote access takes that of a local one [local accesses]
-- energy_5x: energy where it takes five times that [local accesses]
-- energy_10x: energy where it takes ten times that [local accesses]
-- imbalance: largest work of a core over the mean, of all levels [1]
-- levels: levels, summed over roots [1]
-- tasks: elements dequeued [1]
-- enqueues: elements enqueued [1]
CREATE VIEW pim_graph_result AS
WITH measured AS (
    SELECT
        scenario_id,
        max(value) FILTER (metric = 'cycles') AS cycles,
        max(value) FILTER (metric = 'local_accesses') AS local_accesses,
        max(value) FILTER (metric = 'remote_accesses') AS remote_accesses,
        max(value) FILTER (metric = 'energy_1x') AS energy_1x,
        max(value) FILTER (metric = 'energy_5x') AS energy_5x,
        max(value) FILTER (metric = 'energy_10x') AS energy_10x,
        max(value) FILTER (metric = 'imbalance') AS imbalance,
        max(value) FILTER (metric = 'levels') AS levels,
        max(value) FILTER (metric = 'tasks') AS tasks,
        max(value) FILTER (metric = 'enqueues') AS enqueues
    FROM metric
    GROUP BY ALL
)
SELECT
    scenario_id, graph, kind, origin, scale,
    algorithm, stacks, qr, ql, s, e,
    coalesce(nullif(concat_ws(', ',
        CASE WHEN ql <> 64 THEN 'ql ' || ql END,
        CASE WHEN s <> 1 THEN 's ' || s END,
        CASE WHEN e <> 1 THEN 'e ' || e END,
        CASE WHEN cl <> 192 THEN 'cl ' || cl END,
        CASE WHEN cd IS NOT NULL AND cd <> cl THEN 'cd ' || cd END,
        CASE WHEN mlp <> 0 THEN 'mlp ' || mlp END,
        CASE WHEN queue = 'software' AND NOT per_task THEN 'per enqueue' END,
        CASE WHEN steal IS NULL THEN 'steal qr' WHEN steal <> 0 THEN 'steal ' || steal END,
        CASE WHEN largest_weight <> 10 THEN 'weights to ' || largest_weight END,
        CASE WHEN far IS NOT NULL THEN format('far edges {}', far) END
    ), ''), 'default') AS setting,
    setting = 'default' AS is_default,
    rank() OVER (PARTITION BY graph, kind, algorithm, setting ORDER BY scale DESC, len(root)) = 1 AND (ql, s, e) = (64, 1, 1)
        AS whole,
    queue, vertices, len(root) AS roots, seed AS batch, scheduler,
    measured.* EXCLUDE (scenario_id)
FROM scenario
JOIN workload_pim_graph USING (workload_id)
JOIN measured USING (scenario_id)
WHERE study = 'pim_graph'
ORDER BY scenario_id;
