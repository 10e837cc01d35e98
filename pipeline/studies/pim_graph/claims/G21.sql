/*
source: "thesis, Section 7.6 and Chapter 8"
statement: Fine-grained work migration makes fewer remote accesses than the baseline, but naive migration makes more local ones.
headline: work migration makes fewer remote accesses
unit: yes/no
parts:
  "BFS, fewer remote: naive": yes
  "BFS, fewer remote: migration remote": yes
  "SSSP, fewer remote: naive": yes
  "SSSP, fewer remote: migration remote": yes
  "BC, fewer remote: migration remote": yes
  "BFS, more local: naive": yes
  "SSSP, more local: naive": yes
kind: yes_no
configuration: against the baseline, at every QR that was replayed; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND (graph, algorithm, stacks) IN (('amazon', 'bfs', 8), ('road', 'sssp', 4), ('pokec', 'bc', 8)) AND scheduler IN ('baseline', 'migration', 'migration_remote')
*/
WITH compared AS (
    SELECT
        setting, replicate, upper(panel) AS algorithm,
        CASE ours.scheduler WHEN 'migration' THEN 'naive' ELSE 'migration remote' END AS policy,
        bool_and(ours.remote_accesses < base.remote_accesses) AS fewer_remote,
        bool_and(ours.local_accesses > base.local_accesses) AS more_local
    FROM pim_graph_claim AS ours JOIN pim_graph_claim AS base USING (panel, setting, replicate, qr)
    WHERE base.scheduler = 'baseline' AND ours.scheduler IN ('migration', 'migration_remote')
    GROUP BY ALL
)
SELECT setting, algorithm || ', fewer remote: ' || policy AS part, replicate, fewer_remote AS value FROM compared
UNION ALL
SELECT setting, algorithm || ', more local: naive', replicate, more_local FROM compared WHERE policy = 'naive'
