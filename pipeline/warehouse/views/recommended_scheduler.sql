-- Which scheduler to use: best mean utilisation per trace and memory, ties of the paired 95 % interval to the simpler
-- one, as far as the means differ by at most 0.01 (with fewer than five batches, where an interval says little: 0.001).
-- study: study
-- trace: trace the jobs come from, or the kind of a synthetic workload
-- workload: workload without its batch
-- memory_per_node_gb: fast memory of the machine divided by its nodes [GB]
-- scheduler: scheduler to use
-- utilisation: its mean utilisation [1]
-- loss: its mean loss against unlimited memory on the same jobs [1]
-- best_mean: scheduler with the best mean; another than the recommended one where the two are a tie
-- runner_up: best of the others
-- margin: mean utilisation of the recommended one less that of the runner-up, batch by batch [1]
-- margin_lo: lower end of its 95 % interval; null for one batch [1]
-- margin_hi: upper end of its 95 % interval; null for one batch [1]
-- batches: independent batches [1]
-- tied: whether runner_up and the recommended one are a tie (tie_bound)
CREATE VIEW recommended_scheduler AS
WITH ran AS (
    SELECT workload, coalesce(trace_id, kind) AS trace, memory_per_node_gb, batch, scheduler, utilisation, loss
    FROM hpc_memory_result
    WHERE memory_per_node_gb IS NOT NULL AND utilisation IS NOT NULL AND alpha = 0.03
        AND (tau_s = 1 OR kind = 'dynamic') AND reconfiguration = 'serial' AND backfilling = 'easy'
        AND NOT free_start AND largest_by = 'memory' AND grid = 'coarse'
),
-- Schedulers are compared on the batches that all of them were run on.
candidate AS (
    SELECT ran.* EXCLUDE (schedulers)
    FROM (
        SELECT *, count(*) OVER (PARTITION BY workload, memory_per_node_gb, batch) AS schedulers FROM ran
    ) AS ran
    QUALIFY schedulers = max(schedulers) OVER (PARTITION BY workload, memory_per_node_gb)
),
mean AS (
    SELECT
        workload, trace, memory_per_node_gb, scheduler, simplicity,
        avg(utilisation) AS utilisation, avg(loss) AS loss, count(*) AS batches
    FROM candidate JOIN scheduler USING (scheduler)
    WHERE study = 'hpc_memory'
    GROUP BY ALL
),
means AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY workload, memory_per_node_gb ORDER BY utilisation DESC, simplicity) AS place
    FROM mean
),
difference AS (
    SELECT
        a.workload, a.memory_per_node_gb, a.scheduler, b.scheduler AS other,
        avg(a.utilisation - b.utilisation) AS difference,
        stddev_samp(a.utilisation - b.utilisation) / sqrt(count(*)) AS error,
        count(*) AS pairs
    FROM candidate AS a
    JOIN candidate AS b USING (workload, memory_per_node_gb, batch)
    GROUP BY ALL
),
paired AS (
    SELECT difference.*, t * error AS half, tie_bound(t * error, pairs) AS tie
    FROM difference LEFT JOIN student_t ON replicates = pairs
),
tied AS (
    SELECT
        means.*, best.scheduler AS best_mean,
        row_number() OVER (PARTITION BY means.workload, means.memory_per_node_gb ORDER BY simplicity) AS choice
    FROM means
    JOIN (SELECT workload, memory_per_node_gb, scheduler FROM means WHERE place = 1) AS best
        USING (workload, memory_per_node_gb)
    JOIN paired
        ON paired.workload = means.workload AND paired.memory_per_node_gb = means.memory_per_node_gb
        AND paired.scheduler = best.scheduler AND paired.other = means.scheduler
    WHERE difference <= tie
),
recommended AS (SELECT * FROM tied WHERE choice = 1),
runner_up AS (
    SELECT means.*, row_number() OVER (PARTITION BY means.workload, means.memory_per_node_gb ORDER BY means.place) AS nth
    FROM means JOIN recommended USING (workload, memory_per_node_gb)
    WHERE means.scheduler <> recommended.scheduler
)
SELECT
    'hpc_memory' AS study, recommended.trace, recommended.workload, recommended.memory_per_node_gb,
    recommended.scheduler, recommended.utilisation, recommended.loss, best_mean,
    runner_up.scheduler AS runner_up,
    difference AS margin,
    difference - half AS margin_lo,
    difference + half AS margin_hi,
    recommended.batches,
    difference <= tie AS tied
FROM recommended
LEFT JOIN runner_up
    ON runner_up.workload = recommended.workload AND runner_up.memory_per_node_gb = recommended.memory_per_node_gb
    AND nth = 1
LEFT JOIN paired
    ON paired.workload = recommended.workload AND paired.memory_per_node_gb = recommended.memory_per_node_gb
    AND paired.scheduler = recommended.scheduler AND paired.other = runner_up.scheduler
ORDER BY recommended.trace, recommended.workload, recommended.memory_per_node_gb;
