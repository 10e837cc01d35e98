/*
source: "thesis, Section 7.5.2, Figure 26a"
statement: For BFS the performance of migration remote worsens with QR; at low QR the baseline is better, as QR grows migration remote is.
unit: yes/no
parts:
  worse with QR: yes
  behind the baseline at QR 64: yes
  ahead of it at QR 640: yes
kind: yes_no
configuration: worse, slower at each next QR; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND graph = 'amazon' AND algorithm = 'bfs' AND stacks = 8 AND scheduler IN ('baseline', 'migration_remote')
*/
WITH compared AS (
    SELECT
        setting, replicate, qr, ours.cycles, base.cycles AS base_cycles,
        ours.cycles > lag(ours.cycles) OVER (PARTITION BY setting, replicate ORDER BY qr) AS more
    FROM pim_graph_claim AS ours JOIN pim_graph_claim AS base USING (panel, setting, replicate, qr)
    WHERE panel = 'bfs' AND ours.scheduler = 'migration_remote' AND base.scheduler = 'baseline'
),
judged AS (
    SELECT
        setting, replicate, bool_and(more) AS worse, bool_or(cycles > base_cycles) FILTER (qr = 64) AS behind,
        bool_or(cycles < base_cycles) FILTER (qr = 640) AS ahead
    FROM compared
    GROUP BY ALL
)
SELECT setting, what AS part, replicate, holds AS value
FROM judged
CROSS JOIN LATERAL (
    VALUES ('worse with QR', worse), ('behind the baseline at QR 64', behind), ('ahead of it at QR 640', ahead)
) AS said (what, holds)
