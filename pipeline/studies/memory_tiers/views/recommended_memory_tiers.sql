-- Which scheduler to buy memory for: the cheapest mix per trace and loss of the configuration, of the schedulers that a site
-- can run.
-- study: study
-- trace: trace that the jobs come from
-- question: what is to be run, in words
-- setting: what is accepted, in words
-- scheduler: scheduler of the cheapest machine; null = no machine that was tried is enough
-- metric: what value is
-- value: memory of the whole machine [USD]
-- lo: lower end of its 95 % interval; null = no interval [USD]
-- hi: upper end; null = no interval [USD]
-- runner_up: the next cheapest; null = none other is enough
-- margin: what the runner-up costs over the recommended one, less one [1]
-- margin_lo: the least that the intervals leave open; null = no interval [1]
-- margin_hi: the most [1]
-- margin_kind: cost: what the runner-up costs more, as a share of the recommended one's cost
-- tied: whether the two cost the same, or their intervals overlap; null = no interval
-- replicates: spans or batches that the intervals are resampled from [1]
CREATE VIEW recommended_memory_tiers AS
WITH mix AS MATERIALIZED (FROM memory_mix_for_loss),
asked AS (
    SELECT study, trace, workload, loss_bound, max(blocks) AS blocks FROM mix GROUP BY ALL
)
SELECT
    asked.study, asked.trace, 'the jobs of ' || asked.trace AS question,
    printf('loss of utilisation up to %g %%', asked.loss_bound * 100) AS setting, one.scheduler, 'usd' AS metric,
    one.usd AS value, one.usd_lo AS lo, one.usd_hi AS hi, next.scheduler AS runner_up,
    next.usd / nullif(one.usd, 0) - 1 AS margin,
    next.usd_lo / nullif(one.usd_hi, 0) - 1 AS margin_lo, next.usd_hi / nullif(one.usd_lo, 0) - 1 AS margin_hi,
    'cost' AS margin_kind,
    CASE
        WHEN next.usd = one.usd THEN true
        WHEN one.usd_lo IS NOT NULL
            THEN coalesce(list_contains(string_split(one.tied_with, ', '), next.scheduler), false)
    END AS tied, coalesce(one.blocks, asked.blocks) AS replicates
FROM asked
LEFT JOIN mix AS one ON one.workload = asked.workload AND one.loss_bound = asked.loss_bound AND one.place = 1
LEFT JOIN mix AS next ON next.workload = asked.workload AND next.loss_bound = asked.loss_bound AND next.place = 2
ORDER BY asked.trace, asked.loss_bound;
