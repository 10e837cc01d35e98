/*
source: "thesis, Section 7.5.2, Figure 26a and c"
statement: The baseline is best at low QR and worsens as QR grows.
unit: yes/no
parts:
  BFS, best at QR 64: yes
  BFS, worse with QR: yes
  SSSP, best at QR 64: yes
  SSSP, worse with QR: yes
kind: yes_no
configuration: best, faster than every migration policy without stealing; worse, slower at each next QR; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND (graph, algorithm, stacks) IN (('amazon', 'bfs', 8), ('road', 'sssp', 4)) AND (scheduler = 'baseline' OR scheduler LIKE 'migration%' AND qr = 64)
*/
WITH best AS (
    SELECT
        panel, setting, replicate,
        max(cycles) FILTER (scheduler = 'baseline') < min(cycles) FILTER (scheduler LIKE 'migration%') AS value
    FROM pim_graph_claim
    WHERE qr = 64 AND panel <> 'bc'
    GROUP BY ALL
),
step AS (
    SELECT panel, setting, replicate, cycles > lag(cycles) OVER (PARTITION BY panel, setting, replicate ORDER BY qr) AS more
    FROM pim_graph_claim
    WHERE scheduler = 'baseline' AND panel <> 'bc'
)
SELECT setting, upper(panel) || ', best at QR 64' AS part, replicate, value FROM best
UNION ALL
SELECT setting, upper(panel) || ', worse with QR' AS part, replicate, bool_and(more) AS value FROM step GROUP BY ALL
