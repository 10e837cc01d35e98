-- Memory accesses and their energy of work stealing and what it is built on against QR: BC on the stand-in of pokec, 8 stacks (thesis, Figure 27b).
-- scheduler: policy
-- qr: QR, access to remote memory [cycles]
-- batches: sources [1]
-- local_accesses: words accessed in local memory, mean [1]
-- remote_accesses: words accessed in remote memory, mean [1]
-- energy_1x: energy over the baseline's at the least QR and 1x, a remote access at that of a local one [1]
-- energy_5x: energy, a remote access at five times that [1]
-- energy_10x: energy, a remote access at ten times that [1]
CREATE VIEW fig_pim_graph_27b AS
SELECT scheduler, qr, batches, local_accesses, remote_accesses, energy_1x, energy_5x, energy_10x
FROM pim_graph_curve
WHERE kind = 'stand_in' AND graph = 'pokec' AND algorithm = 'bc' AND stacks = 8
    AND scheduler NOT IN ('migration', 'migration_local', 'migration_duplicates')
ORDER BY scheduler, qr;
