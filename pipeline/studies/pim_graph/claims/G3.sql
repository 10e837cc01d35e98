/*
source: "thesis, Section 7.5.1"
statement: With queues in hardware BFS does not depend on the latency of remote memory, as it does with software atomics.
unit: yes/no
parts:
  Amazon: yes
  Pokec: yes
kind: yes_no
configuration: time of BFS with migration at QR 640 within 2 % of that at QR 64 with queues in hardware and not with software atomics, for every number of stacks; stand-ins; replicates are sources, settings are what is flat, CL and how atomics reserve slots
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND algorithm = 'bfs' AND scheduler = 'migration' AND graph IN ('amazon', 'pokec')
*/
WITH of_stacks AS (
    SELECT
        graph, coalesce(nullif(regexp_replace(setting, '(, )?per enqueue', ''), ''), 'default') AS cost, setting, queue,
        batch, stacks, max(cycles) FILTER (qr = 640) / max(cycles) FILTER (qr = 64) AS ratio
    FROM pim_graph_result
    WHERE kind = 'stand_in' AND whole AND algorithm = 'bfs' AND scheduler = 'migration' AND graph IN ('amazon', 'pokec')
    GROUP BY ALL
),
threshold (most, named) AS (VALUES (0.02, NULL), (0.01, 'flat within 1 %'), (0.05, 'flat within 5 %'))
SELECT
    coalesce(named, software.setting) AS setting, CASE graph WHEN 'amazon' THEN 'Amazon' ELSE 'Pokec' END AS part,
    batch AS replicate, bool_and(abs(hardware.ratio - 1) <= most AND software.ratio > 1 + most) AS value
FROM of_stacks AS software JOIN of_stacks AS hardware USING (graph, cost, batch, stacks) CROSS JOIN threshold
WHERE (named IS NULL OR software.setting = 'default') AND software.queue = 'software' AND hardware.queue = 'pim' AND hardware.ratio IS NOT NULL AND software.ratio IS NOT NULL
GROUP BY ALL
