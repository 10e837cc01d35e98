-- Which scheduler to use on a PIM machine: the best mean throughput (geometric, over tables and batches), ties of the paired
-- 95 % interval over batches to the simpler one, as far as the means differ by at most 1 % (with fewer than five batches,
-- where an interval says little: 0.1 %). From fewer than five batches nobody is called better unless the whole interval says
-- so (tied is null). Schedulers that know all arrivals (optimal) are not asked; where jobs arrive one by one
-- throughput says little, and best_att is the one to look at.
-- study: study
-- tables: admissible (drawn to agree with Table 2), proxy, or the trace that the tables come from
-- evidence: what admissible tables agree with: table_2, or figure_2 (what the text says of Figure 2, too); null = of a trace
-- kind: sets, virtual_pim or queue
-- set_name: set, as W3 or VW5 (mixes of the paper), or uniform (drawn uniformly among all applications of the trace); null for a queue
-- arrival: queued, poisson or traced
-- load: offered load of Poisson arrivals [1]
-- jobs: jobs [1]
-- ranks: ranks of the machine [1]
-- requests: what VirtualPIM's users ask for, of a proxy
-- scheduler: scheduler to use
-- throughput_ratio: its throughput over that of se_full [1]
-- att_ratio: average turnaround time of se_full over its own [1]
-- best_mean: scheduler with the best mean throughput; another than the recommended one where the two are a tie
-- margin: throughput of the recommended scheduler over that of the best of the others [1]
-- margin_lo: lower end of its 95 % interval over batches; null for one batch [1]
-- margin_hi: upper end; null for one batch [1]
-- runner_up: best of the others
-- best_att: scheduler with the least average turnaround time
-- batches: independent batches [1]
-- extrapolated_apps: applications of the trace whose best number of ranks is beyond those that were measured, so that the answer rests on a fit; null = none, or not of a trace
-- tied: whether runner_up and the recommended one are a tie (tie_bound); null = not known: the recommended one has the better mean over fewer than five batches, and their interval holds no difference, too
CREATE VIEW recommended_pim_scheduler AS
WITH ran AS (
    SELECT
        hash(coalesce(trace_id, ''), evidence, origin, kind, set_name, arrival, load, jobs, ranks, requests) AS question,
        coalesce(trace_id, CASE origin WHEN 'synthetic' THEN 'admissible' ELSE origin END) AS tables,
        evidence, kind, set_name, arrival, load, jobs, ranks, requests, batch, scheduler,
        -- Batches are independent, tables are what is not known: a batch is the mean over the tables.
        avg(ln(throughput_ratio)) AS throughput, avg(ln(att_ratio)) AS att
    FROM pim_ranks_result
    WHERE scheduler <> 'optimal' AND rejected_jobs = 0 AND throughput_ratio IS NOT NULL
        AND "window" = 6 AND ooo_window IS NULL AND perf_at = 'leftover'
    GROUP BY ALL
),
mean AS (
    SELECT
        question, scheduler, simplicity, avg(throughput) AS throughput, avg(att) AS att, count(*) AS batches
    FROM ran JOIN scheduler USING (scheduler)
    WHERE study = 'pim_ranks'
    GROUP BY ALL
),
means AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY question ORDER BY throughput DESC, simplicity) AS place,
        first_value(scheduler) OVER (PARTITION BY question ORDER BY throughput DESC, simplicity) AS best_mean,
        first_value(scheduler) OVER (PARTITION BY question ORDER BY att DESC, simplicity) AS best_att
    FROM mean
),
paired AS (
    SELECT
        a.question, a.scheduler, b.scheduler AS other,
        avg(a.throughput - b.throughput) AS difference,
        any_value(t) * stddev_samp(a.throughput - b.throughput) / sqrt(count(*)) AS half,
        tie_bound(half, count(*)) AS tie
    FROM ran AS a
    JOIN ran AS b USING (question, batch)
    JOIN (SELECT question, scheduler, batches FROM mean) AS size
        ON size.question = a.question AND size.scheduler = a.scheduler
    LEFT JOIN student_t ON replicates = batches
    GROUP BY ALL
),
recommended AS (
    SELECT means.*
    FROM means
    JOIN paired
        ON paired.question = means.question AND paired.scheduler = best_mean AND paired.other = means.scheduler
    WHERE difference <= tie
    QUALIFY row_number() OVER (PARTITION BY means.question ORDER BY simplicity, place) = 1
),
runner_up AS (
    SELECT means.question, means.scheduler
    FROM means JOIN recommended USING (question)
    WHERE means.scheduler <> recommended.scheduler
    QUALIFY row_number() OVER (PARTITION BY means.question ORDER BY means.place) = 1
),
guessed AS (
    SELECT trace_id AS tables, string_agg(app, ', ' ORDER BY app) AS extrapolated_apps
    FROM perf_table WHERE chosen AND is_best AND source = 'extrapolated'
    GROUP BY ALL
),
asked AS (
    SELECT DISTINCT question, tables, evidence, kind, set_name, arrival, load, jobs, ranks, requests FROM ran
)
SELECT
    'pim_ranks' AS study, tables, evidence, kind, set_name, arrival, load, jobs, ranks, requests,
    recommended.scheduler,
    exp(recommended.throughput) AS throughput_ratio,
    exp(recommended.att) AS att_ratio,
    best_mean,
    exp(difference) AS margin,
    exp(difference - half) AS margin_lo,
    exp(difference + half) AS margin_hi,
    runner_up.scheduler AS runner_up,
    best_att,
    batches,
    extrapolated_apps,
    CASE
        WHEN difference <= tie THEN true
        -- A traced queue is not drawn: it is replayed as it is, once. Of what is drawn few batches tell little.
        WHEN batches >= 5 OR arrival = 'traced' OR difference - half > 0 THEN false
    END AS tied
FROM recommended
JOIN asked USING (question)
LEFT JOIN guessed USING (tables)
LEFT JOIN runner_up USING (question)
LEFT JOIN paired
    ON paired.question = recommended.question AND paired.scheduler = recommended.scheduler
    AND paired.other = runner_up.scheduler
ORDER BY kind, tables, evidence DESC, arrival, load, jobs, set_name, requests;
