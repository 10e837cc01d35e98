/*
source: "thesis, Section 7.5.2, Figure 26a to d"
statement: Naive migration is slower than the baseline and migration remote, and its many local accesses take much energy, which its modifications lower.
unit: yes/no
parts:
  BFS, slower than the baseline: yes
  BFS, slower than migration remote: yes
  SSSP, slower than the baseline: yes
  SSSP, slower than migration remote: yes
  BFS, more energy than its modifications: yes
  SSSP, more energy than its modifications: yes
kind: yes_no
configuration: at every QR that was replayed; energy at 1x, 5x and 10x against migration local, duplicates and duplicates local; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
differs: Of the modifications only duplicates alone, on BFS, saves nothing. A hash set costs a word for each arrival and one more for each that enters. It saves two for each that it rejects, so it pays where fewer than a third enter. On the stand-in of Amazon slightly more enter.
evidence: |
  SELECT avg(ours.tasks / ours.enqueues) BETWEEN 1.0 / 3 AND 0.36 AND avg(ours.local_accesses / naive.local_accesses) BETWEEN 1 AND 1.01 AS holds,
    avg(ours.tasks / ours.enqueues) AS share_that_enters, avg(ours.local_accesses / naive.local_accesses) AS local_accesses_over_naive
  FROM pim_graph_result AS ours JOIN pim_graph_result AS naive USING (graph, kind, algorithm, stacks, setting, queue, batch, qr)
  WHERE graph = 'amazon' AND kind = 'stand_in' AND algorithm = 'bfs' AND stacks = 8 AND ours.is_default AND queue = 'pim'
    AND ours.scheduler = 'migration_duplicates' AND naive.scheduler = 'migration'
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND (graph, algorithm, stacks) IN (('amazon', 'bfs', 8), ('road', 'sssp', 4)) AND scheduler NOT IN ('work_stealing', 'dl_work_stealing', 'adaptive')
*/
WITH compared AS (
    SELECT
        setting, replicate, upper(panel) AS algorithm, other.scheduler, bool_and(ours.cycles > other.cycles) AS slower,
        bool_and(ours.energy_1x > other.energy_1x AND ours.energy_5x > other.energy_5x AND ours.energy_10x > other.energy_10x)
            AS more
    FROM pim_graph_claim AS ours JOIN pim_graph_claim AS other USING (panel, setting, replicate, qr)
    WHERE ours.scheduler = 'migration' AND panel <> 'bc'
    GROUP BY ALL
)
SELECT
    setting, algorithm || ', slower than ' || CASE scheduler WHEN 'baseline' THEN 'the baseline' ELSE 'migration remote' END
        AS part, replicate, slower AS value
FROM compared
WHERE scheduler IN ('baseline', 'migration_remote')
UNION ALL
SELECT setting, algorithm || ', more energy than its modifications', replicate, bool_and(more)
FROM compared
WHERE scheduler IN ('migration_local', 'migration_duplicates', 'migration_duplicates_local')
GROUP BY ALL
