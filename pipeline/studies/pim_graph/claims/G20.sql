/*
source: "thesis, Section 7.5.3, Figure 27b and d"
statement: Work stealing makes more remote and fewer local accesses than migration remote, but fewer remote ones than the baseline.
unit: yes/no
parts:
  BFS, more remote than migration remote: yes
  BFS, fewer local than migration remote: yes
  BFS, fewer remote than the baseline: yes
  BC, more remote than migration remote: yes
  BC, fewer local than migration remote: yes
  BC, fewer remote than the baseline: yes
kind: yes_no
configuration: at every QR that was replayed; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND (graph, algorithm, stacks) IN (('amazon', 'bfs', 8), ('pokec', 'bc', 8)) AND scheduler IN ('baseline', 'migration_remote', 'work_stealing')
*/
WITH compared AS (
    SELECT
        setting, replicate, upper(panel) AS algorithm, bool_and(ours.remote_accesses > plain.remote_accesses) AS more_remote,
        bool_and(ours.local_accesses < plain.local_accesses) AS fewer_local,
        bool_and(ours.remote_accesses < base.remote_accesses) AS fewer_remote
    FROM pim_graph_claim AS ours
    JOIN pim_graph_claim AS plain USING (panel, setting, replicate, qr)
    JOIN pim_graph_claim AS base USING (panel, setting, replicate, qr)
    WHERE ours.scheduler = 'work_stealing' AND plain.scheduler = 'migration_remote' AND base.scheduler = 'baseline'
        AND panel <> 'sssp'
    GROUP BY ALL
)
SELECT setting, algorithm || ', ' || what AS part, replicate, holds AS value
FROM compared
CROSS JOIN LATERAL (
    VALUES ('more remote than migration remote', more_remote), ('fewer local than migration remote', fewer_local),
        ('fewer remote than the baseline', fewer_remote)
) AS said (what, holds)
