-- Frequencies of the SMs of a die of 30, the slowest 1 (thesis, Figure 3b): the maps that pairs are replayed with.
-- map_seed: map
-- sm: streaming multiprocessor, from 0
-- die_row: its row on the die, from 0
-- die_column: its column on the die, from 0
-- frequency: over that of the slowest SM [1]
CREATE VIEW fig_gpu_sharing_3 AS
SELECT
    map_seed, sm, sm // ceil(sqrt(sms))::INTEGER AS die_row, sm % ceil(sqrt(sms))::INTEGER AS die_column, frequency
FROM (SELECT *, count(*) OVER (PARTITION BY map_seed) AS sms FROM sm_map_gpu_sharing)
ORDER BY map_seed, sm;
