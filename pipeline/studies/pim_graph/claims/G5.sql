/*
source: "thesis, Section 7.5.2, Figure 26a and c"
statement: Migration local, duplicates and duplicates local are not affected by QR, while the baseline worsens, and faster than naive migration.
unit: yes/no
parts:
  BFS, flat: yes
  BFS, faster: yes
  SSSP, flat: yes
  SSSP, faster: yes
kind: yes_no
configuration: flat, time at QR 640 within 2 % of that at QR 64, each of the three, and that of the baseline above; faster, each at every QR; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are what is flat, CL, CD, mlp and what a steal takes
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND (graph, algorithm, stacks) IN (('amazon', 'bfs', 8), ('road', 'sssp', 4)) AND scheduler IN ('baseline', 'migration', 'migration_local', 'migration_duplicates', 'migration_duplicates_local')
*/
WITH compared AS (
    SELECT
        setting, replicate, upper(panel) AS algorithm, ours.scheduler, bool_and(ours.cycles < naive.cycles) AS faster,
        max(ours.cycles) FILTER (qr = 640) / max(ours.cycles) FILTER (qr = 64) AS ratio,
        max(base.cycles) FILTER (qr = 640) / max(base.cycles) FILTER (qr = 64) AS base_ratio
    FROM pim_graph_claim AS ours
    JOIN pim_graph_claim AS naive USING (panel, setting, replicate, qr)
    JOIN pim_graph_claim AS base USING (panel, setting, replicate, qr)
    WHERE naive.scheduler = 'migration' AND base.scheduler = 'baseline'
        AND ours.scheduler IN ('migration_local', 'migration_duplicates', 'migration_duplicates_local')
    GROUP BY ALL
),
threshold (most, named) AS (VALUES (0.02, NULL), (0.01, 'flat within 1 %'), (0.05, 'flat within 5 %'))
SELECT coalesce(named, setting) AS setting, algorithm || ', ' || what AS part, replicate, bool_and(holds) AS value
FROM compared CROSS JOIN threshold
CROSS JOIN LATERAL (VALUES ('flat', abs(ratio - 1) <= most AND base_ratio > 1 + most), ('faster', faster)) AS said (what, holds)
WHERE named IS NULL OR setting = 'default'
GROUP BY ALL
