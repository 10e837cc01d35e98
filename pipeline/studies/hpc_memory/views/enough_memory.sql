-- How much memory per node is enough for each workload and bound of the loss, with the scheduler that is recommended at that
-- size, or else the simplest, and who needs as little.
-- workload: workload without its batch
-- loss_bound: loss of utilisation that is accepted [1]
-- response_bound: growth of the mean response time that is accepted [1]
-- memory_per_node_gb: least size that keeps both; null = none that was tried does [GB]
-- memory_lo_gb: lower end of its 95 % interval; null = beyond the sizes tried, or no interval [GB]
-- memory_hi_gb: upper end [GB]
-- at_most: whether it is the smallest size that was tried, so that less may do
-- fails_at_gb: largest size that was tried and is not enough [GB]
-- scheduler: scheduler to use there; null = no size is enough
-- tied_with: schedulers that need as little and tie with it there; null = none
-- open_with: schedulers that may need as little; null = none
-- tried: schedulers that were compared [1]
-- loss: utilisation lost there [1]
-- response_ratio: mean response time over that with unlimited memory [1]
-- wait_s: mean wait there [s]
-- unlimited_wait_s: mean wait with unlimited memory [s]
-- blocks: spans of time, or batches, of the intervals [1]
-- gb_saved: memory that is saved against the machine's; null = not known [GB]
-- usd_saved: what that costs [USD]
CREATE VIEW enough_memory AS
WITH enough AS MATERIALIZED (
    SELECT *, count(*) OVER (PARTITION BY workload, loss_bound) AS tried
    FROM smallest_memory_for_loss JOIN scheduler USING (study, scheduler)
    WHERE scheduler <> 'unlimited'
),
chosen AS MATERIALIZED (
    SELECT enough.*
    FROM enough
    LEFT JOIN (SELECT workload, memory_per_node_gb, scheduler AS best FROM recommended_hpc_memory) AS there
        USING (workload, memory_per_node_gb)
    QUALIFY row_number() OVER (
        PARTITION BY workload, loss_bound
        ORDER BY memory_per_node_gb NULLS LAST, coalesce(scheduler = best, false) DESC, complexity
    ) = 1
),
compared AS (
    SELECT
        chosen.workload, chosen.loss_bound, other.scheduler, pair.relation,
        other.memory_per_node_gb = chosen.memory_per_node_gb AS alike,
        other.memory_lo_gb < chosen.memory_per_node_gb AS may_be_alike
    FROM chosen
    JOIN enough AS other
        ON other.workload = chosen.workload AND other.loss_bound = chosen.loss_bound
        AND other.scheduler <> chosen.scheduler
    LEFT JOIN paired_hpc_memory AS pair
        ON pair.workload = chosen.workload AND pair.memory_per_node_gb = chosen.memory_per_node_gb
        AND pair.scheduler = chosen.scheduler AND pair.other = other.scheduler
),
others AS (
    SELECT
        workload, loss_bound,
        string_agg(scheduler, ', ' ORDER BY scheduler) FILTER (alike AND relation = 'tie') AS tied_with,
        string_agg(scheduler, ', ' ORDER BY scheduler) FILTER (
            coalesce(relation, 'open') = 'open' AND (alike OR may_be_alike)
            OR NOT coalesce(alike, false) AND may_be_alike AND relation IN ('tie', 'trade_off')
        ) AS open_with
    FROM compared GROUP BY ALL
)
SELECT
    workload, loss_bound, response_bound, memory_per_node_gb, memory_lo_gb, memory_hi_gb, at_most, fails_at_gb,
    CASE WHEN memory_per_node_gb IS NOT NULL THEN scheduler END AS scheduler, tied_with, open_with, tried, loss, response_ratio, wait_s, unlimited_wait_s, blocks, gb_saved, usd_saved
FROM chosen LEFT JOIN others USING (workload, loss_bound)
ORDER BY workload, loss_bound;
