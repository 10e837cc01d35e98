/*
source: "thesis, Section 7.5.2, Figure 26a to d"
statement: Naive migration is slower than the baseline and migration remote, and takes more energy.
unit: yes/no
parts:
  BFS, slower than the baseline: 1
  BFS, slower than migration remote: 1
  SSSP, slower than the baseline: 1
  SSSP, slower than migration remote: 1
  BFS, more energy at 1x: 1
  BFS, more energy at 5x: 1
  BFS, more energy at 10x: 1
  SSSP, more energy at 1x: 1
  SSSP, more energy at 5x: 1
  SSSP, more energy at 10x: 1
kind: yes_no
configuration: at every QR that was replayed; energy against both; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD and mlp
differs: Naive migration is slower, as printed, and takes more energy for SSSP; for BFS it makes few remote accesses and many local ones, so that it takes more only where a remote access costs what a local one does.
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND (graph, algorithm, stacks) IN (('amazon', 'bfs', 8), ('road', 'sssp', 4)) AND scheduler IN ('baseline', 'migration', 'migration_remote')
*/
WITH compared AS (
    SELECT
        setting, replicate, upper(panel) AS algorithm, other.scheduler,
        bool_and(ours.cycles > other.cycles) AS slower, bool_and(ours.energy_1x > other.energy_1x) AS at_1x,
        bool_and(ours.energy_5x > other.energy_5x) AS at_5x, bool_and(ours.energy_10x > other.energy_10x) AS at_10x
    FROM pim_graph_claim AS ours JOIN pim_graph_claim AS other USING (panel, setting, replicate, qr)
    WHERE ours.scheduler = 'migration' AND other.scheduler IN ('baseline', 'migration_remote') AND panel <> 'bc'
    GROUP BY ALL
)
SELECT
    setting, algorithm || ', slower than ' || CASE scheduler WHEN 'baseline' THEN 'the baseline' ELSE 'migration remote' END
        AS part, replicate, slower AS value
FROM compared
UNION ALL
SELECT setting, algorithm || ', more energy at ' || ratio AS part, replicate, bool_and(more) AS value
FROM compared
CROSS JOIN LATERAL (VALUES ('1x', at_1x), ('5x', at_5x), ('10x', at_10x)) AS energy (ratio, more)
GROUP BY ALL
