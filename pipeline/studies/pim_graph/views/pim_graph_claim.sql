-- What the claims on Figures 26 and 27 are asked of: BFS on amazon with 8 stacks, SSSP on road with 4, BC on pokec with 8, each
-- source a replicate, each choice of what the thesis leaves open a setting.
-- panel: bfs, sssp or bc
-- setting: default, or the parameters that differ from it
-- replicate: source
-- qr: QR, access to remote memory [cycles]
-- scheduler: policy
-- cycles: time [cycles]
-- local_accesses: words accessed in local memory [1]
-- remote_accesses: words accessed in remote memory [1]
-- energy_1x: energy, a remote access at that of a local one [local accesses]
-- energy_5x: energy, a remote access at five times that [local accesses]
-- energy_10x: energy, a remote access at ten times that [local accesses]
-- imbalance: largest work of a core over the mean [1]
CREATE VIEW pim_graph_claim AS
SELECT
    algorithm AS panel, setting, batch::VARCHAR AS replicate, qr, scheduler, cycles, local_accesses, remote_accesses,
    energy_1x, energy_5x, energy_10x, imbalance
FROM pim_graph_result
WHERE kind = 'stand_in' AND whole AND queue = 'pim' AND scheduler <> 'adaptive'
    AND (
        (graph = 'amazon' AND algorithm = 'bfs' AND stacks = 8)
        OR (graph = 'road' AND algorithm = 'sssp' AND stacks = 4)
        OR (graph = 'pokec' AND algorithm = 'bc' AND stacks = 8)
    )
ORDER BY panel, setting, replicate, scheduler, qr;
