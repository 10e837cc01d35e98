/*
source: "thesis, Section 7.5.2, Figure 26e"
statement: For BC migration remote is slower than the baseline, for its imbalance.
unit: yes/no
parts:
  slower at QR 64: yes
  slower at QR 640: yes
  less balanced: yes
kind: yes_no
configuration: less balanced, at every QR; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
differs: It depends on how many remote accesses are under way at once. Without a limit the baseline, which makes more than twice as many, is slower at QR 640, and imbalance no longer decides. With at most four at once (mlp) migration remote is slower at 640, too, as printed.
evidence: |
  SELECT avg(base.remote_accesses / ours.remote_accesses) FILTER (qr = 640) > 1 AND avg(ours.cycles / base.cycles) FILTER (qr = 640) <= 1 AND avg(ours.cycles / base.cycles) FILTER (qr = 64) > 1 AS holds,
    avg(base.remote_accesses / ours.remote_accesses) FILTER (qr = 640) AS remote_accesses_of_the_baseline_over_ours,
    avg(ours.cycles / base.cycles) FILTER (qr = 64) AS time_at_64, avg(ours.cycles / base.cycles) FILTER (qr = 640) AS time_at_640,
    (SELECT avg(four.cycles / other.cycles) FROM pim_graph_claim AS four JOIN pim_graph_claim AS other USING (panel, setting, replicate, qr)
      WHERE setting = 'mlp 4' AND panel = 'bc' AND qr = 640 AND four.scheduler = 'migration_remote' AND other.scheduler = 'baseline') AS time_at_640_with_four_at_once
  FROM pim_graph_claim AS ours JOIN pim_graph_claim AS base USING (panel, setting, replicate, qr)
  WHERE setting = 'default' AND panel = 'bc' AND ours.scheduler = 'migration_remote' AND base.scheduler = 'baseline'
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND graph = 'pokec' AND algorithm = 'bc' AND stacks = 8 AND scheduler IN ('baseline', 'migration_remote')
*/
WITH compared AS (
    SELECT
        setting, replicate,
        max(ours.cycles > base.cycles) FILTER (qr = 64) AS near, max(ours.cycles > base.cycles) FILTER (qr = 640) AS far,
        bool_and(ours.imbalance > base.imbalance) AS less_balanced
    FROM pim_graph_claim AS ours JOIN pim_graph_claim AS base USING (panel, setting, replicate, qr)
    WHERE panel = 'bc' AND ours.scheduler = 'migration_remote' AND base.scheduler = 'baseline'
    GROUP BY ALL
)
SELECT setting, what AS part, replicate, holds AS value
FROM compared
CROSS JOIN LATERAL (
    VALUES ('slower at QR 64', near), ('slower at QR 640', far), ('less balanced', less_balanced)
) AS said (what, holds)
