/*
source: "thesis, Section 7.5.3, Figure 27c"
statement: For BFS work stealing is the fastest at low QR, DL work stealing at high.
unit: yes/no
parts:
  work stealing at QR 64: yes
  DL work stealing at QR 640: yes
kind: yes_no
configuration: fastest of the eight policies; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND graph = 'amazon' AND algorithm = 'bfs' AND stacks = 8 AND qr IN (64, 640) AND scheduler <> 'adaptive'
*/
SELECT
    setting, CASE qr WHEN 64 THEN 'work stealing at QR 64' ELSE 'DL work stealing at QR 640' END AS part, replicate,
    max(cycles) FILTER (scheduler = CASE qr WHEN 64 THEN 'work_stealing' ELSE 'dl_work_stealing' END)
        < min(cycles) FILTER (scheduler <> CASE qr WHEN 64 THEN 'work_stealing' ELSE 'dl_work_stealing' END) AS value
FROM pim_graph_claim
WHERE panel = 'bfs' AND qr IN (64, 640)
GROUP BY setting, qr, replicate
