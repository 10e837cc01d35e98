/*
source: "thesis, Section 7.5.2, Figure 26a and c"
statement: Migration local, duplicates and duplicates local are not affected by QR, and faster than naive migration.
unit: yes/no
parts:
  BFS, flat: 1
  BFS, faster: 1
  SSSP, flat: 1
  SSSP, faster: 1
kind: yes_no
configuration: flat, time at QR 640 within 2 % of that at QR 64, each of the three; faster, each at every QR; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD and mlp
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND (graph, algorithm, stacks) IN (('amazon', 'bfs', 8), ('road', 'sssp', 4)) AND scheduler IN ('migration', 'migration_local', 'migration_duplicates', 'migration_duplicates_local')
*/
WITH compared AS (
    SELECT
        setting, replicate, upper(panel) AS algorithm, ours.scheduler, bool_and(ours.cycles < naive.cycles) AS faster,
        abs(max(ours.cycles) FILTER (qr = 640) / max(ours.cycles) FILTER (qr = 64) - 1) <= 0.02 AS flat
    FROM pim_graph_claim AS ours JOIN pim_graph_claim AS naive USING (panel, setting, replicate, qr)
    WHERE naive.scheduler = 'migration'
        AND ours.scheduler IN ('migration_local', 'migration_duplicates', 'migration_duplicates_local')
    GROUP BY ALL
)
SELECT setting, algorithm || ', ' || what AS part, replicate, bool_and(holds) AS value
FROM compared CROSS JOIN LATERAL (VALUES ('flat', flat), ('faster', faster)) AS said (what, holds)
GROUP BY ALL
