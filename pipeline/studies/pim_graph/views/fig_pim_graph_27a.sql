-- Time of work stealing and what it is built on against QR: BC on the stand-in of pokec, 8 stacks (thesis, Figure 27a).
-- scheduler: policy
-- qr: QR, access to remote memory [cycles]
-- batches: sources [1]
-- time: time over that of the baseline at the least QR [1]
-- time_lo: lower end of its 95 % interval; null for one source [1]
-- time_hi: upper end; null for one source [1]
CREATE VIEW fig_pim_graph_27a AS
SELECT scheduler, qr, batches, time, time_lo, time_hi
FROM pim_graph_curve
WHERE kind = 'stand_in' AND graph = 'pokec' AND algorithm = 'bc' AND stacks = 8
    AND scheduler NOT IN ('migration', 'migration_local', 'migration_duplicates')
ORDER BY scheduler, qr;
