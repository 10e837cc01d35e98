-- The cheapest mix of local memory and pool that keeps two bounds: each of a list of losses of utilisation, and one growth
-- of the mean response time, both against all memory local; per scheduler. A machine is enough where it and every machine
-- that was tried with no less of either memory keep both. docs/guides/capacity.md
-- study: study
-- trace: trace that the jobs come from
-- workload: workload without its batch
-- scheduler: scheduler; static_used represents requests that are exact
-- loss_bound: loss of utilisation that is accepted [1]
-- response_bound: growth of the mean response time that is accepted [1]
-- local_per_node_gb: memory of each node; null = no machine that was tried is enough [GB]
-- pool_per_node_gb: pool divided by the nodes [GB]
-- nodes: nodes of the machine
-- usd: local memory and pool of the whole machine, at the prices of the configuration [USD]
-- usd_lo: least cost at which some machine's intervals do not rule the bounds out; null = no interval [USD]
-- usd_hi: least cost at which a machine, and all with no less, keep the bounds by the worse ends; null = none, or no interval [USD]
-- usd_today: memory of the traced machine at the price of local memory; null = not known, or too much is assumed [USD]
-- usd_saved: usd_today less usd; null as usd_today, and for schedulers that go by requests where these are assumed [USD]
-- place: 1 = cheapest of the schedulers that a site can run (all but static_used); null = no machine, or static_used
-- tied_with: schedulers whose intervals of the cost overlap with this one's, so that which is cheaper is open; null = none
-- loss: loss of utilisation of that machine [1]
-- loss_lo: lower end of its 95 % interval [1]
-- loss_hi: upper end [1]
-- response_ratio: mean response over that of the same jobs with all memory local [1]
-- response_ratio_lo: lower end of its 95 % interval [1]
-- response_ratio_hi: upper end [1]
-- rejected: jobs that are rejected
-- blocks: spans or batches that the intervals are resampled from
-- tried: machines that were tried
-- assumed: what is assumed, in words
-- warnings: what makes the answer doubtful, in words; null = nothing known
CREATE MACRO memory_mix_at(accepted_losses, accepted_growth) AS TABLE
WITH bound AS (
    SELECT unnest(accepted_losses)::DOUBLE AS loss_bound, accepted_growth::DOUBLE AS response_bound
),
kept AS (
    SELECT
        cost.*, loss_bound, response_bound,
        coalesce(loss <= loss_bound AND response_ratio - 1 <= response_bound, false) AS keeps,
        coalesce(loss_lo <= loss_bound AND response_ratio_lo - 1 <= response_bound, false) AS may_keep,
        coalesce(loss_hi <= loss_bound AND response_ratio_hi - 1 <= response_bound, false) AS surely_keeps
    FROM memory_tiers_cost AS cost CROSS JOIN bound
),
enough AS (
    SELECT
        one.workload, one.scheduler, one.loss_bound, one.local_per_node_gb, one.pool_per_node_gb,
        bool_and(other.keeps) AS enough, bool_and(other.surely_keeps) AS surely
    FROM kept AS one
    JOIN kept AS other
        ON other.workload = one.workload AND other.scheduler = one.scheduler AND other.loss_bound = one.loss_bound
        AND other.local_per_node_gb >= one.local_per_node_gb AND other.pool_per_node_gb >= one.pool_per_node_gb
    GROUP BY ALL
),
cheapest AS (
    SELECT
        trace, workload, scheduler, loss_bound, response_bound, nodes, usd_today, count(*) AS tried,
        arg_min(local_per_node_gb, (usd, loss, local_per_node_gb)) FILTER (enough) AS local_per_node_gb,
        arg_min(pool_per_node_gb, (usd, loss, local_per_node_gb)) FILTER (enough) AS pool_per_node_gb,
        min(usd) FILTER (enough) AS usd, min(usd) FILTER (may_keep) AS usd_lo, min(usd) FILTER (surely) AS usd_hi
    FROM kept JOIN enough USING (workload, scheduler, loss_bound, local_per_node_gb, pool_per_node_gb)
    GROUP BY ALL
),
tie AS (
    SELECT one.workload, one.scheduler, one.loss_bound, string_agg(other.scheduler, ', ' ORDER BY other.scheduler) AS tied_with
    FROM cheapest AS one
    JOIN cheapest AS other
        ON other.workload = one.workload AND other.loss_bound = one.loss_bound AND other.scheduler <> one.scheduler
    WHERE one.usd = other.usd OR (one.usd_lo <= other.usd_hi AND other.usd_lo <= one.usd_hi)
    GROUP BY ALL
)
SELECT
    'memory_tiers' AS study, cheapest.trace, cheapest.workload, cheapest.scheduler, cheapest.loss_bound, cheapest.response_bound,
    cheapest.local_per_node_gb, cheapest.pool_per_node_gb, cheapest.nodes, cheapest.usd, usd_lo, usd_hi, cheapest.usd_today,
    CASE
        WHEN request_assumed <= 0.05 OR cheapest.scheduler NOT IN ('requested_local', 'requested_spread', 'static_pool')
            THEN cheapest.usd_today - cheapest.usd
    END AS usd_saved,
    CASE
        WHEN cheapest.usd IS NOT NULL AND cheapest.scheduler <> 'static_used'
            THEN row_number() OVER (
                PARTITION BY cheapest.workload, cheapest.loss_bound, cheapest.usd IS NOT NULL AND cheapest.scheduler <> 'static_used'
                ORDER BY cheapest.usd, complexity, cheapest.scheduler
            )
    END AS place,
    tied_with, kept.loss, kept.loss_lo, kept.loss_hi, kept.response_ratio, kept.response_ratio_lo, kept.response_ratio_hi,
    kept.rejected, kept.blocks, tried, assumed, warnings
FROM cheapest
JOIN memory_tiers_basis AS basis ON basis.workload = cheapest.workload
JOIN (SELECT scheduler, complexity FROM scheduler WHERE study = 'memory_tiers') AS known ON known.scheduler = cheapest.scheduler
LEFT JOIN tie
    ON tie.workload = cheapest.workload AND tie.scheduler = cheapest.scheduler AND tie.loss_bound = cheapest.loss_bound
LEFT JOIN kept
    ON kept.workload = cheapest.workload AND kept.scheduler = cheapest.scheduler AND kept.loss_bound = cheapest.loss_bound
    AND kept.local_per_node_gb = cheapest.local_per_node_gb AND kept.pool_per_node_gb = cheapest.pool_per_node_gb
ORDER BY cheapest.trace, cheapest.workload, cheapest.loss_bound, cheapest.usd NULLS LAST, cheapest.scheduler;
