/*
source: "thesis, Section 7.5.3, Figure 27a"
statement: For BC work stealing is always faster than the baseline.
unit: yes/no
paper_value: 1
kind: always
configuration: at every QR that was replayed; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND graph = 'pokec' AND algorithm = 'bc' AND stacks = 8 AND scheduler IN ('baseline', 'work_stealing')
*/
SELECT setting, replicate, bool_and(ours.cycles < base.cycles) AS value
FROM pim_graph_claim AS ours JOIN pim_graph_claim AS base USING (panel, setting, replicate, qr)
WHERE panel = 'bc' AND ours.scheduler = 'work_stealing' AND base.scheduler = 'baseline'
GROUP BY ALL
