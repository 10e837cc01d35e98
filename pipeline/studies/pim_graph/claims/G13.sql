/*
source: "thesis, Section 7.5.2, Figure 26f"
statement: For BC the baseline makes more remote accesses than migration remote and takes more energy.
unit: yes/no
parts:
  remote accesses: yes
  energy at 1x: yes
  energy at 5x: yes
  energy at 10x: yes
kind: yes_no
configuration: at every QR that was replayed; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
differs: At 1x a remote access takes what a local one does. The two make the same accesses in all, so neither takes more energy. At 5x and 10x the claim holds.
evidence: |
  SELECT abs(avg(base.energy_1x / ours.energy_1x) - 1) < 0.01 AND avg(base.energy_10x / ours.energy_10x) > 1 AS holds, avg(base.energy_1x / ours.energy_1x) AS energy_of_the_baseline_at_1x,
    avg(base.energy_5x / ours.energy_5x) AS at_5x, avg(base.energy_10x / ours.energy_10x) AS at_10x
  FROM pim_graph_claim AS ours JOIN pim_graph_claim AS base USING (panel, setting, replicate, qr)
  WHERE setting = 'default' AND panel = 'bc' AND ours.scheduler = 'migration_remote' AND base.scheduler = 'baseline'
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND graph = 'pokec' AND algorithm = 'bc' AND stacks = 8 AND scheduler IN ('baseline', 'migration_remote')
*/
SELECT setting, what AS part, replicate, bool_and(more) AS value
FROM pim_graph_claim AS base JOIN pim_graph_claim AS ours USING (panel, setting, replicate, qr)
CROSS JOIN LATERAL (
    VALUES
        ('remote accesses', base.remote_accesses > ours.remote_accesses), ('energy at 1x', base.energy_1x > ours.energy_1x),
        ('energy at 5x', base.energy_5x > ours.energy_5x), ('energy at 10x', base.energy_10x > ours.energy_10x)
) AS said (what, more)
WHERE panel = 'bc' AND base.scheduler = 'baseline' AND ours.scheduler = 'migration_remote'
GROUP BY ALL
