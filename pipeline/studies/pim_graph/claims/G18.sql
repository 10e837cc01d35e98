/*
source: "thesis, Section 7.5.2, Figure 26b and d"
statement: For BFS migration remote makes more remote accesses than the other migration policies; on the roads of Texas it does not.
unit: yes/no
parts:
  BFS, more than each: yes
  SSSP, not more: yes
kind: yes_no
configuration: at every QR that was replayed; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND (graph, algorithm, stacks) IN (('amazon', 'bfs', 8), ('road', 'sssp', 4)) AND scheduler LIKE 'migration%'
*/
WITH compared AS (
    SELECT
        panel, setting, replicate, bool_and(ours.remote_accesses > other.remote_accesses) AS more_than_each,
        bool_or(ours.remote_accesses < other.remote_accesses) AS less_than_one
    FROM pim_graph_claim AS ours JOIN pim_graph_claim AS other USING (panel, setting, replicate, qr)
    WHERE ours.scheduler = 'migration_remote' AND other.scheduler LIKE 'migration%'
        AND other.scheduler <> 'migration_remote' AND panel <> 'bc'
    GROUP BY ALL
)
SELECT
    setting, CASE panel WHEN 'bfs' THEN 'BFS, more than each' ELSE 'SSSP, not more' END AS part, replicate,
    CASE panel WHEN 'bfs' THEN more_than_each ELSE less_than_one END AS value
FROM compared
