-- Which policy to use for a graph on stacks that compute: the least mean time (geometric, over sources), ties of the paired
-- 95 % interval to the simpler one, as far as the means differ by at most 1 % (with fewer than five sources 0.1 %). Beside it, for
-- each ratio of remote to local energy, the policy with the least energy and that with the least product of both.
-- study: study
-- graph: graph
-- kind: stand_in or dropped
-- algorithm: bfs, sssp or bc
-- stacks: stacks of memory [1]
-- qr: QR, access to remote memory [cycles]
-- energy_ratio: energy of a remote access over that of a local one [1]
-- scheduler: policy to use
-- time_ratio: its time over that of the baseline [1]
-- energy: its energy over that of the baseline [1]
-- best_mean: policy with the least mean time; another than the recommended one where the two are a tie
-- runner_up: best of the others
-- margin: time of the runner-up over that of the recommended one [1]
-- least_energy: policy with the least energy
-- least_energy_delay: policy with the least product of energy and time
-- batches: sources [1]
-- margin_lo: lower end of the paired 95 % interval of margin; null for one source [1]
-- margin_hi: upper end; null for one source [1]
-- tied: whether runner_up and the recommended one are a tie (tie_bound)
CREATE VIEW recommended_pim_graph AS
WITH ran AS (
    SELECT
        hash(graph, kind, algorithm, stacks, qr) AS question, graph, kind, algorithm, stacks, qr, batch,
        result.scheduler, simplicity, energy_ratio, ln(cycles) AS time,
        ln(local_accesses + energy_ratio * remote_accesses) AS energy
    FROM pim_graph_result AS result
    JOIN scheduler ON scheduler.scheduler = result.scheduler AND scheduler.study = 'pim_graph'
    CROSS JOIN (VALUES (1), (5), (10)) AS ratio (energy_ratio)
    WHERE whole AND setting = 'default' AND queue = 'pim'
),
mean AS (
    SELECT
        question, energy_ratio, scheduler, simplicity, avg(time) AS time, avg(energy) AS energy, count(*) AS batches
    FROM ran
    GROUP BY ALL
),
means AS (
    SELECT
        *,
        row_number() OVER fastest AS place,
        first_value(scheduler) OVER fastest AS best_mean,
        first_value(scheduler) OVER (PARTITION BY question, energy_ratio ORDER BY energy, simplicity) AS least_energy,
        first_value(scheduler) OVER (PARTITION BY question, energy_ratio ORDER BY energy + time, simplicity)
            AS least_energy_delay
    FROM mean
    WINDOW fastest AS (PARTITION BY question, energy_ratio ORDER BY time, simplicity)
),
paired AS (
    SELECT
        a.question, a.energy_ratio, a.scheduler, b.scheduler AS other,
        avg(b.time - a.time) AS difference,
        any_value(t) * stddev_samp(b.time - a.time) / sqrt(count(*)) AS half,
        tie_bound(half, count(*)) AS tie
    FROM ran AS a
    JOIN ran AS b USING (question, energy_ratio, batch)
    JOIN mean ON mean.question = a.question AND mean.energy_ratio = a.energy_ratio AND mean.scheduler = a.scheduler
    LEFT JOIN student_t ON replicates = batches
    GROUP BY ALL
),
recommended AS (
    SELECT means.*
    FROM means
    JOIN paired
        ON paired.question = means.question AND paired.energy_ratio = means.energy_ratio
        AND paired.scheduler = best_mean AND paired.other = means.scheduler
    WHERE difference <= tie
    QUALIFY row_number() OVER (PARTITION BY means.question, means.energy_ratio ORDER BY simplicity, place) = 1
),
runner_up AS (
    SELECT means.question, means.energy_ratio, means.scheduler, means.time
    FROM means JOIN recommended USING (question, energy_ratio)
    WHERE means.scheduler <> recommended.scheduler
    QUALIFY row_number() OVER (PARTITION BY means.question, means.energy_ratio ORDER BY means.place) = 1
),
asked AS (
    SELECT question, graph, kind, algorithm, stacks, qr
    FROM ran
    GROUP BY ALL
    HAVING count(DISTINCT scheduler) > 1
)
SELECT
    'pim_graph' AS study, graph, kind, algorithm, stacks, qr, energy_ratio,
    recommended.scheduler,
    exp(recommended.time - base.time) AS time_ratio,
    exp(recommended.energy - base.energy) AS energy,
    best_mean,
    runner_up.scheduler AS runner_up,
    exp(runner_up.time - recommended.time) AS margin,
    least_energy, least_energy_delay, recommended.batches,
    exp(difference - half) AS margin_lo, exp(difference + half) AS margin_hi, difference <= tie AS tied
FROM recommended
JOIN asked USING (question)
LEFT JOIN runner_up USING (question, energy_ratio)
LEFT JOIN paired
    ON paired.question = recommended.question AND paired.energy_ratio = recommended.energy_ratio
    AND paired.scheduler = recommended.scheduler AND paired.other = runner_up.scheduler
LEFT JOIN mean AS base
    ON base.question = recommended.question AND base.energy_ratio = recommended.energy_ratio AND base.scheduler = 'baseline'
ORDER BY kind DESC, graph, algorithm, stacks, qr, energy_ratio;
