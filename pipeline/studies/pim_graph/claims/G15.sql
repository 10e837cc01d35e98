/*
source: "thesis, Section 7.5.3, Figure 27d"
statement: DL work stealing makes more local accesses than work stealing and fewer than migration duplicates local.
unit: yes/no
paper_value: 1
kind: yes_no
configuration: BFS, at every QR that was replayed; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND graph = 'amazon' AND algorithm = 'bfs' AND stacks = 8 AND scheduler IN ('work_stealing', 'dl_work_stealing', 'migration_duplicates_local')
*/
WITH each_qr AS (
    SELECT
        setting, replicate, qr,
        max(local_accesses) FILTER (scheduler = 'dl_work_stealing') AS ours,
        max(local_accesses) FILTER (scheduler = 'work_stealing') AS least,
        max(local_accesses) FILTER (scheduler = 'migration_duplicates_local') AS most
    FROM pim_graph_claim
    WHERE panel = 'bfs'
    GROUP BY ALL
)
SELECT setting, replicate, bool_and(least < ours AND ours < most) AS value FROM each_qr GROUP BY ALL
