-- What each machine that was tried costs and loses: measures after the warm-up at the study's defaults, and the money.
-- trace: trace that the jobs come from
-- workload: workload without its batch
-- scheduler: scheduler
-- local_per_node_gb: memory of each node [GB]
-- pool_per_node_gb: pool divided by the nodes [GB]
-- nodes: nodes of the machine
-- usd: local memory and pool of the whole machine at the prices of the configuration [USD]
-- usd_today: memory of the traced machine at the price of local memory; null = not known, or too much is assumed [USD]
-- loss: loss of utilisation against all memory local [1]
-- loss_lo: lower end of its 95 % interval; null = no interval [1]
-- loss_hi: upper end [1]
-- response_ratio: mean response of the jobs that ran over that of the same jobs with all memory local [1]
-- response_ratio_lo: lower end of its 95 % interval; null = no interval [1]
-- response_ratio_hi: upper end [1]
-- utilisation: useful node time over that of the machine [1]
-- wait_s: mean wait [s]
-- rejected: jobs that were rejected
-- jobs: jobs that ran
-- blocks: spans or batches that the intervals are resampled from
-- on_front: whether no machine that was tried for the scheduler costs no more and loses less
CREATE VIEW memory_tiers_cost AS
WITH price AS (
    SELECT
        (SELECT max(value::DOUBLE) FROM setting WHERE key = 'prices.memory_usd_per_gb') AS local_usd,
        (SELECT max(value::DOUBLE) FROM setting WHERE key = 'prices.pool_usd_per_gb') AS pool_usd
),
priced AS (
    SELECT
        trace, workload, scheduler, local_per_node_gb, pool_per_node_gb, nodes,
        nodes * (local_per_node_gb * local_usd + pool_per_node_gb * pool_usd) AS usd,
        nodes * node_memory_gb * local_usd AS usd_today,
        loss, loss_lo, loss_hi, response_ratio, response_ratio_lo, response_ratio_hi, utilisation, wait_s, rejected,
        steady.jobs, blocks
    FROM steady_memory_tiers AS steady JOIN memory_tiers_basis USING (workload) CROSS JOIN price
)
SELECT
    *,
    loss < coalesce(min(loss) OVER (
        PARTITION BY workload, scheduler ORDER BY usd, loss ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 2) AS on_front
FROM priced
ORDER BY workload, scheduler, usd, loss;
