-- Memory accesses and their energy of migration policies against QR: SSSP on the stand-in of road, 4 stacks (thesis, Figure 26d).
-- scheduler: policy
-- qr: QR, access to remote memory [cycles]
-- batches: sources [1]
-- local_accesses: words accessed in local memory, mean [1]
-- remote_accesses: words accessed in remote memory, mean [1]
-- energy_1x: energy over the baseline's at the least QR and 1x, a remote access at that of a local one [1]
-- energy_5x: energy, a remote access at five times that [1]
-- energy_10x: energy, a remote access at ten times that [1]
CREATE VIEW fig_pim_graph_26d AS
SELECT scheduler, qr, batches, local_accesses, remote_accesses, energy_1x, energy_5x, energy_10x
FROM pim_graph_curve
WHERE kind = 'stand_in' AND graph = 'road' AND algorithm = 'sssp' AND stacks = 4
    AND scheduler NOT LIKE '%stealing'
ORDER BY scheduler, qr;
