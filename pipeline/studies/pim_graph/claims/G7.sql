/*
source: "thesis, Section 7.5.2, Figure 26c"
statement: On the roads of Texas migration remote is the best migration policy for SSSP.
unit: yes/no
paper_value: 1
kind: yes_no
configuration: at every QR that was replayed; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND graph = 'road' AND algorithm = 'sssp' AND stacks = 4 AND scheduler LIKE 'migration%'
*/
WITH each_qr AS (
    SELECT
        setting, replicate, qr,
        max(cycles) FILTER (scheduler = 'migration_remote')
            < min(cycles) FILTER (scheduler LIKE 'migration%' AND scheduler <> 'migration_remote') AS best
    FROM pim_graph_claim
    WHERE panel = 'sssp'
    GROUP BY ALL
)
SELECT setting, replicate, bool_and(best) AS value FROM each_qr GROUP BY ALL
