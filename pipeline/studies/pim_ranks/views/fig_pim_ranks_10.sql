-- Overhead of each scheduler as a share of execution time, by set (paper, Figure 10). It is an input of the replays, no
-- result of them. Of virtual_pim_fine and virtual_pim_coop it is what their units and repeated transfers add.
-- set_name: set
-- scheduler: scheduler
-- replays: replays [1]
-- overhead_share: mean [1]
-- overhead_least: least [1]
-- overhead_most: largest [1]
-- origin: input, or modelled (units of an input share, transfers by the model)
CREATE VIEW fig_pim_ranks_10 AS
SELECT
    set_name, scheduler, count(*) AS replays,
    avg(overhead_share) AS overhead_share, min(overhead_share) AS overhead_least, max(overhead_share) AS overhead_most,
    CASE WHEN scheduler IN ('virtual_pim_fine', 'virtual_pim_coop') THEN 'modelled' ELSE 'input' END AS origin
FROM pim_ranks_result
WHERE set_name IS NOT NULL AND scheduler <> 'optimal'
GROUP BY ALL
ORDER BY set_name, scheduler;
