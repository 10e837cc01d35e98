/*
source: "thesis, Section 7.5.2, Figure 26b and d"
statement: The modifications of migration make fewer local accesses than naive migration.
unit: yes/no
parts:
  BFS, local: yes
  BFS, duplicates: yes
  BFS, duplicates local: yes
  SSSP, local: yes
  SSSP, duplicates: yes
  SSSP, duplicates local: yes
kind: yes_no
configuration: at every QR that was replayed; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
differs: Of the modifications only duplicates alone, on BFS, saves nothing. A hash set costs a word for each arrival and one more for each that enters. It saves two for each that it rejects, so it pays where fewer than a third enter. On the stand-in of Amazon slightly more enter.
evidence: |
  SELECT avg(ours.tasks / ours.enqueues) BETWEEN 1.0 / 3 AND 0.36 AND avg(ours.local_accesses / naive.local_accesses) BETWEEN 1 AND 1.01 AS holds,
    avg(ours.tasks / ours.enqueues) AS share_that_enters, avg(ours.local_accesses / naive.local_accesses) AS local_accesses_over_naive
  FROM pim_graph_result AS ours JOIN pim_graph_result AS naive USING (graph, kind, algorithm, stacks, setting, queue, batch, qr)
  WHERE graph = 'amazon' AND kind = 'stand_in' AND algorithm = 'bfs' AND stacks = 8 AND ours.is_default AND queue = 'pim'
    AND ours.scheduler = 'migration_duplicates' AND naive.scheduler = 'migration'
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND (graph, algorithm, stacks) IN (('amazon', 'bfs', 8), ('road', 'sssp', 4)) AND scheduler IN ('migration', 'migration_local', 'migration_duplicates', 'migration_duplicates_local')
*/
SELECT
    setting, upper(panel) || ', ' || replace(replace(ours.scheduler, 'migration_', ''), '_', ' ') AS part, replicate,
    bool_and(ours.local_accesses < naive.local_accesses) AS value
FROM pim_graph_claim AS ours JOIN pim_graph_claim AS naive USING (panel, setting, replicate, qr)
WHERE naive.scheduler = 'migration' AND panel <> 'bc'
    AND ours.scheduler IN ('migration_local', 'migration_duplicates', 'migration_duplicates_local')
GROUP BY setting, panel, ours.scheduler, replicate
