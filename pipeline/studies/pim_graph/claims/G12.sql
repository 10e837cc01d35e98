/*
source: "thesis, Section 7.5.2"
statement: With more PIMs the imbalance of migration remote grows, in all graphs.
unit: yes/no
parts:
  road: yes
  amazon: yes
  pokec: yes
kind: yes_no
configuration: BC with migration_remote at QR 352, 4 to 8 to 16 stacks; stand-ins; replicates are sources
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND algorithm = 'bc' AND scheduler = 'migration_remote' AND qr = 352 AND stacks IN (4, 8, 16)
*/
WITH step AS (
    SELECT
        graph, setting, batch,
        imbalance > lag(imbalance) OVER (PARTITION BY graph, setting, batch ORDER BY stacks) AS more,
        count(*) OVER (PARTITION BY graph, setting, batch) AS sizes
    FROM pim_graph_result
    WHERE kind = 'stand_in' AND whole AND algorithm = 'bc' AND scheduler = 'migration_remote' AND qr = 352
        AND queue = 'pim' AND stacks IN (4, 8, 16)
)
SELECT setting, graph AS part, batch AS replicate, bool_and(more) AS value
FROM step
WHERE sizes = 3
GROUP BY ALL
