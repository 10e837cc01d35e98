-- Which scheduler to use on a PIM machine: the best mean throughput (geometric, over tables and batches), ties to the simpler one
-- (recommend). Where jobs arrive one by one throughput says little, and best_att is the one to look at.
-- study: study
-- trace: admissible (drawn to agree with Table 2), proxy, or the trace that the tables come from
-- question: what is to be run, in words
-- setting: size of the machine, in words
-- scheduler: scheduler to use
-- metric: what value is
-- value: throughput over that of se_full [1]
-- lo: lower end of its 95 % interval; null for one replicate [as value]
-- hi: upper end; null for one replicate [as value]
-- runner_up: best of the others
-- margin: what the recommended one gains over the runner-up, as a share; below 0: a tie that went to the simpler one [1]
-- margin_lo: lower end of its paired 95 % interval; null for one replicate [1]
-- margin_hi: upper end; null for one replicate [1]
-- margin_kind: relative: a share of the runner-up's
-- tied: whether runner_up and the recommended one are a tie, of which the simpler one is recommended; null = not known (recommend)
-- replicates: independent batches [1]
-- evidence: what admissible tables agree with: measured_shapes, with Table 2 and SE-Opt over SE-Full; null = of a trace
-- kind: sets, virtual_pim or queue
-- set_name: set, as W3 or VW5 (mixes of the paper), or uniform (drawn uniformly among all applications of the trace); null for a queue
-- arrival: queued, poisson or traced
-- load: offered load of Poisson arrivals [1]
-- jobs: jobs [1]
-- ranks: ranks of the machine [1]
-- requests: what VirtualPIM's users ask for, of a proxy
-- att_ratio: average turnaround time of se_full over that of the recommended one [1]
-- best_mean: scheduler with the best mean throughput; another than the recommended one where the two are a tie
-- best_att: scheduler with the least average turnaround time
-- extrapolated_apps: applications of the trace whose best number of ranks is beyond those that were measured, so that the answer rests on a fit; null = none, or not of a trace
CREATE VIEW recommended_pim_ranks AS
WITH mean AS (
    SELECT question, scheduler, complexity, avg(turnaround) AS turnaround
    FROM score_pim_ranks JOIN scheduler USING (study, scheduler)
    GROUP BY ALL
),
turnaround AS (
    -- Equal means differ in their last bits with the order of the sum.
    SELECT *, first_value(scheduler) OVER (PARTITION BY question ORDER BY round(turnaround, 9) DESC, complexity) AS best_att
    FROM mean
),
guessed AS (
    SELECT trace, string_agg(app, ', ' ORDER BY app) AS extrapolated_apps
    FROM perf_table WHERE chosen AND is_best AND source = 'extrapolated'
    GROUP BY ALL
)
SELECT
    study, trace, concat_ws(', ', coalesce(set_name, kind), evidence, requests, arrival, 'load ' || load, jobs || ' jobs') AS question,
    ranks || ' ranks' AS setting, scheduler, 'throughput over se_full' AS metric,
    exp(score) AS value, exp(score_lo) AS lo, exp(score_hi) AS hi,
    runner_up, exp(difference) - 1 AS margin, exp(difference_lo) - 1 AS margin_lo, exp(difference_hi) - 1 AS margin_hi,
    'relative' AS margin_kind, tied, replicates,
    evidence, kind, set_name, arrival, load, jobs, ranks, requests,
    exp(turnaround) AS att_ratio, best_mean, best_att, extrapolated_apps
FROM recommend('pim_ranks')
JOIN (
    SELECT DISTINCT question, study, trace, evidence, kind, set_name, arrival, load, jobs, ranks, requests FROM score_pim_ranks
) USING (question)
JOIN turnaround USING (question, scheduler)
LEFT JOIN guessed USING (trace)
ORDER BY kind, trace, evidence DESC, arrival, load, jobs, set_name, requests;
