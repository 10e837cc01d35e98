/*
source: "thesis, Section 7.5.3"
statement: Stealing gains time for more energy, and the difference shrinks as QR grows.
unit: yes/no
parts:
  BFS, work stealing: yes
  BFS, DL work stealing: yes
  BC, work stealing: yes
kind: yes_no
configuration: against the policy that it is built on, energy at 5x; faster and more energy at QR 64, and there more energy than at QR 640, relative to it; BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8; stand-ins; replicates are sources, settings are CL, CD, mlp and what a steal takes
scenarios: pim_graph_result WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND (graph, algorithm, stacks) IN (('amazon', 'bfs', 8), ('pokec', 'bc', 8)) AND qr IN (64, 640) AND scheduler IN ('work_stealing', 'migration_remote', 'dl_work_stealing', 'migration_duplicates_local')
*/
WITH compared AS (
    SELECT
        setting, replicate, panel, thief.scheduler, qr, thief.cycles / plain.cycles AS time,
        thief.energy_5x / plain.energy_5x AS energy
    FROM pim_graph_claim AS thief JOIN pim_graph_claim AS plain USING (panel, setting, replicate, qr)
    WHERE panel <> 'sssp' AND qr IN (64, 640)
        AND (thief.scheduler, plain.scheduler) IN (
            ('work_stealing', 'migration_remote'), ('dl_work_stealing', 'migration_duplicates_local')
        )
)
SELECT
    setting, upper(panel) || CASE scheduler WHEN 'work_stealing' THEN ', work stealing' ELSE ', DL work stealing' END AS part,
    replicate,
    max(time) FILTER (qr = 64) < 1 AND max(energy) FILTER (qr = 64) > 1
        AND max(energy) FILTER (qr = 640) < max(energy) FILTER (qr = 64) AS value
FROM compared
GROUP BY setting, panel, scheduler, replicate
