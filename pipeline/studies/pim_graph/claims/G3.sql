/*
source: "thesis, Section 7.5.1"
statement: With queues in hardware BFS does not depend on the latency of remote memory.
unit: yes/no
parts:
  Amazon: 1
  Pokec: 1
kind: yes_no
configuration: time of BFS with migration at QR 640 within 2 % of that at QR 64, for every number of stacks; stand-ins; replicates are sources, settings are CL
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND algorithm = 'bfs' AND scheduler = 'migration' AND graph IN ('amazon', 'pokec') AND queue = 'pim'
*/
WITH of_stacks AS (
    SELECT
        graph, setting, batch, stacks,
        max(cycles) FILTER (qr = 640) / max(cycles) FILTER (qr = 64) AS ratio
    FROM pim_graph_result
    WHERE kind = 'stand_in' AND whole AND algorithm = 'bfs' AND scheduler = 'migration' AND queue = 'pim'
        AND graph IN ('amazon', 'pokec')
    GROUP BY ALL
)
SELECT
    setting, CASE graph WHEN 'amazon' THEN 'Amazon' ELSE 'Pokec' END AS part, batch AS replicate,
    bool_and(abs(ratio - 1) <= 0.02) AS value
FROM of_stacks
WHERE ratio IS NOT NULL
GROUP BY ALL
