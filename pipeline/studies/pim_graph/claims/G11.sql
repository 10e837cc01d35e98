/*
source: "thesis, Section 7.5.3, Figure 27b and d"
statement: With stealing remote accesses fall as QR grows.
unit: yes/no
parts:
  BFS, work stealing: yes
  BFS, DL work stealing: yes
  BC, work stealing: yes
kind: yes_no
configuration: fewer at QR 640 than at QR 64; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND (graph, algorithm, stacks) IN (('amazon', 'bfs', 8), ('pokec', 'bc', 8)) AND scheduler IN ('work_stealing', 'dl_work_stealing')
*/
SELECT
    setting, upper(panel) || CASE scheduler WHEN 'work_stealing' THEN ', work stealing' ELSE ', DL work stealing' END AS part,
    replicate, max(remote_accesses) FILTER (qr = 640) < max(remote_accesses) FILTER (qr = 64) AS value
FROM pim_graph_claim
WHERE panel <> 'sssp' AND scheduler IN ('work_stealing', 'dl_work_stealing')
GROUP BY setting, panel, scheduler, replicate
