-- Which policy to use for a graph on stacks that compute: the least mean time (geometric, over sources), ties to the simpler one
-- (recommend). Beside it, for each ratio of remote to local energy, the policy with the least energy and that with the least
-- product of both.
-- study: study
-- trace: graph
-- question: what is to be run, in words
-- setting: size of the machine, in words
-- scheduler: policy to use
-- metric: what value is
-- value: time over that of the baseline, geometric mean over sources; below is better; null without a baseline [1]
-- lo: lower end of its 95 % interval; null for one replicate [as value]
-- hi: upper end; null for one replicate [as value]
-- runner_up: best of the others
-- margin: time of the runner-up over that of the recommended one, less one; below 0: a tie that went to the simpler one [1]
-- margin_lo: lower end of its paired 95 % interval; null for one replicate [1]
-- margin_hi: upper end; null for one replicate [1]
-- margin_kind: relative: a share of the runner-up's
-- tied: whether runner_up and the recommended one are a tie, of which the simpler one is recommended; null = not known (recommend)
-- replicates: sources [1]
-- kind: stand_in or dropped
-- algorithm: bfs, sssp or bc
-- stacks: stacks of memory [1]
-- qr: QR, access to remote memory [cycles]
-- energy_ratio: energy of a remote access over that of a local one [1]
-- energy: its energy over that of the baseline [1]
-- best_mean: policy with the least mean time; another than the recommended one where the two are a tie
-- least_energy: policy with the least energy
-- least_energy_delay: policy with the least product of energy and time
CREATE VIEW recommended_pim_graph AS
WITH mean AS (
    SELECT
        study, question, trace, kind, algorithm, stacks, qr, energy_ratio, scheduler, complexity, avg(score) AS score,
        avg(ln(local_accesses + energy_ratio * remote_accesses)) AS energy
    FROM score_pim_graph JOIN scheduler USING (study, scheduler)
    CROSS JOIN (VALUES (1), (5), (10)) AS ratio (energy_ratio)
    GROUP BY ALL
),
means AS (
    SELECT
        *,
        first_value(scheduler) OVER (PARTITION BY question, energy_ratio ORDER BY round(energy, 9), complexity) AS least_energy,
        first_value(scheduler) OVER (PARTITION BY question, energy_ratio ORDER BY round(energy - score, 9), complexity)
            AS least_energy_delay
    FROM mean
)
SELECT
    means.study, means.trace, means.algorithm || ', QR ' || means.qr || ' cycles' AS question, means.stacks || ' stacks' AS setting,
    answer.scheduler, 'time over baseline' AS metric,
    CASE WHEN base.scheduler IS NOT NULL THEN exp(-answer.score) END AS value,
    CASE WHEN base.scheduler IS NOT NULL THEN exp(-score_hi) END AS lo,
    CASE WHEN base.scheduler IS NOT NULL THEN exp(-score_lo) END AS hi,
    runner_up, exp(difference) - 1 AS margin, exp(difference_lo) - 1 AS margin_lo, exp(difference_hi) - 1 AS margin_hi,
    'relative' AS margin_kind, tied, answer.replicates,
    means.kind, means.algorithm, means.stacks, means.qr, means.energy_ratio, exp(means.energy - base.energy) AS energy,
    best_mean, means.least_energy, means.least_energy_delay
FROM recommend('pim_graph') AS answer
JOIN means USING (question, scheduler)
LEFT JOIN (FROM mean WHERE scheduler = 'baseline') AS base
    ON base.question = means.question AND base.energy_ratio = means.energy_ratio
ORDER BY means.kind DESC, means.trace, means.algorithm, means.stacks, means.qr, means.energy_ratio;
