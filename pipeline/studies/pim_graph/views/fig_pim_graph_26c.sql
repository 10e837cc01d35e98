-- Time of migration policies against QR: SSSP on the stand-in of road, 4 stacks (thesis, Figure 26c).
-- scheduler: policy
-- qr: QR, access to remote memory [cycles]
-- batches: sources [1]
-- time: time over that of the baseline at the least QR [1]
-- time_lo: lower end of its 95 % interval; null for one source [1]
-- time_hi: upper end; null for one source [1]
CREATE VIEW fig_pim_graph_26c AS
SELECT scheduler, qr, batches, time, time_lo, time_hi
FROM pim_graph_curve
WHERE kind = 'stand_in' AND graph = 'road' AND algorithm = 'sssp' AND stacks = 4
    AND scheduler NOT LIKE '%stealing'
ORDER BY scheduler, qr;
