-- Frequencies of the SMs of a die, the slowest 1 (thesis, Figure 3b), and threshold voltages (Figure 3a). The maps of 30 SMs are
-- those that pairs are replayed with.
-- map_seed: map
-- sms: SMs of the die [1]
-- sm: streaming multiprocessor, from 0
-- die_row: its row on the die, from 0
-- die_column: its column on the die, from 0
-- frequency: over that of the slowest SM [1]
-- threshold_v: mean threshold voltage of the SM [V]
CREATE VIEW fig_gpu_sharing_3 AS
SELECT
    map_seed, sms, sm, sm // ceil(sqrt(sms))::INTEGER AS die_row, sm % ceil(sqrt(sms))::INTEGER AS die_column, frequency,
    threshold_v
FROM sm_map_gpu_sharing
ORDER BY map_seed, sms, sm;
