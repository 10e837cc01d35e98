-- What each step of sharing is worth per trace and loss: the cheapest machine without the step less that with it.
-- trace: trace that the jobs come from
-- workload: workload without its batch
-- loss_bound: loss of utilisation that is accepted [1]
-- step: sharing_at_start (static_pool against requested_local), right_sized_requests (static_used against static_pool), sharing_while_running (dynamic_pool against static_used) or reconfiguring (priority of the paper against dynamic_pool)
-- without: scheduler without the step
-- with_it: scheduler with it
-- usd_without: cheapest machine without it; null = none that was tried is enough [USD]
-- usd_with: cheapest machine with it; null as above [USD]
-- usd_worth: difference [USD]
-- usd_worth_lo: least difference that the intervals of the two prices leave open; null = no interval [USD]
-- usd_worth_hi: largest [USD]
-- local_per_node_gb: machine with a pool on which the nodes below are counted, the cheapest that keeps the bounds with the step; null = none does [GB]
-- pool_per_node_gb: its pool divided by the nodes [GB]
-- usd_there: price of that machine; it may be more than usd_with, which may be of a machine without a pool [USD]
-- nodes_worth: useful work that the step adds on that machine, in nodes of full use [1]
-- nodes_worth_lo: lower end of its 95 % interval, of the paired difference over spans or batches; null = no interval [1]
-- nodes_worth_hi: upper end [1]
CREATE VIEW memory_mix_value AS
WITH step(step, without, with_it) AS (
    VALUES
        ('sharing_at_start', 'requested_local', 'static_pool'),
        ('right_sized_requests', 'static_pool', 'static_used'),
        ('sharing_while_running', 'static_used', 'dynamic_pool'),
        ('reconfiguring', 'dynamic_pool', 'priority')
),
mix AS MATERIALIZED (FROM memory_mix_for_loss),
pooled AS MATERIALIZED (
    SELECT workload, scheduler, local_per_node_gb, pool_per_node_gb, usd, loss, response_ratio
    FROM memory_tiers_cost WHERE pool_per_node_gb > 0
),
here AS (
    SELECT
        mix.workload, mix.loss_bound, mix.scheduler,
        arg_min(pooled.local_per_node_gb, (pooled.usd, pooled.loss, pooled.local_per_node_gb)) AS local_per_node_gb,
        arg_min(pooled.pool_per_node_gb, (pooled.usd, pooled.loss, pooled.local_per_node_gb)) AS pool_per_node_gb,
        min(pooled.usd) AS usd
    FROM mix JOIN pooled
        ON pooled.workload = mix.workload AND pooled.scheduler = mix.scheduler AND pooled.loss <= mix.loss_bound
        AND pooled.response_ratio - 1 <= mix.response_bound
    GROUP BY ALL
)
SELECT
    b.trace, b.workload, b.loss_bound, step.step, step.without, step.with_it, a.usd AS usd_without, b.usd AS usd_with,
    a.usd - b.usd AS usd_worth, a.usd_lo - b.usd_hi AS usd_worth_lo, a.usd_hi - b.usd_lo AS usd_worth_hi,
    here.local_per_node_gb, here.pool_per_node_gb, here.usd AS usd_there, utilisation_gain * b.nodes AS nodes_worth,
    utilisation_gain_lo * b.nodes AS nodes_worth_lo, utilisation_gain_hi * b.nodes AS nodes_worth_hi
FROM step
JOIN mix AS b ON b.scheduler = step.with_it
JOIN mix AS a ON a.scheduler = step.without AND a.workload = b.workload AND a.loss_bound = b.loss_bound
LEFT JOIN here ON here.workload = b.workload AND here.loss_bound = b.loss_bound AND here.scheduler = step.with_it
LEFT JOIN paired_memory_tiers AS paired
    ON paired.workload = b.workload AND paired.step = step.step AND paired.local_per_node_gb = here.local_per_node_gb
    AND paired.pool_per_node_gb = here.pool_per_node_gb
ORDER BY b.trace, b.workload, b.loss_bound, list_position(['sharing_at_start', 'right_sized_requests', 'sharing_while_running'], step.step) NULLS LAST;
