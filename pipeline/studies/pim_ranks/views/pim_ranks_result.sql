-- Measures of each scenario of pim_ranks beside those of se_full on the same jobs, tables and ranks.
-- scenario_id: scenario
-- workload: workload without its batch; rows of one workload differ in the batch, tables, ranks and scheduler
-- kind: sets, virtual_pim or queue
-- set_name: set, as W3 or VW5, or uniform (drawn among all applications of the trace); null for others
-- trace: trace that the queue or the performance tables come from; null for others
-- origin: synthetic, proxy, measured or generated
-- batch: batch
-- arrival: queued, poisson or traced
-- load: offered load of Poisson arrivals [1]
-- jobs: jobs
-- table_id: set of performance tables
-- member: admissible table that it is, or is made of; null for tables of a trace
-- evidence: what that table agrees with: measured_shapes, with Table 2 and SE-Opt over SE-Full; null for tables of a trace
-- requests: what VirtualPIM's users ask for (machine, half or best) in a proxy; null for others
-- host_share: host work of a proxy, as a share of its least time [1]
-- host_shares: that of the proxies of VW1 to VW4 and of VW5, where not as assumed by default
-- transfer: input, kernel and output as shares of a proxy's stage, where not as assumed by default
-- coop_limit: Fine's rank-time over Coarse's up to which Co-op runs Fine [1]
-- ranks: ranks of the machine [1]
-- scheduler: scheduler
-- window: scheduling window of PIM-CARE [1]
-- ooo_window: how far sm_opt_ooo looks down the queue; null = to its end [1]
-- perf_at: ranks at which PIM-CARE looks up speeds
-- objective: what optimal minimises
-- profiling_ratio: share of the numbers of ranks at which applications are profiled; null = all their times are known [1]
-- threshold: THOpt of Algorithm 1; null = best_ranks as given, or 0.95 of a profile [1]
-- is_default: whether all of these are the study's defaults: limit 1.1, window 6, no end, leftover, makespan, no profile, best_ranks as given, and the proxy's parts are as assumed
-- throughput_per_s: jobs / makespan [1/s]
-- throughput_ratio: throughput over that of se_full; above 1 is better [1]
-- att_s: average turnaround time, mean of end - arrival [s]
-- att_ratio: average turnaround time of se_full over this one; above 1 is better [1]
-- makespan_s: end of the last job since the first arrival [s]
-- makespan_lower_bound_s: no schedule of these jobs ends earlier; null where stages are replayed [s]
-- rank_utilisation: rank-seconds held, as a share of all until the last end [1]
-- overhead_share: time added by the scheduler, as a share of execution time: an input [1]
-- profiling_s: time of the profile runs of all applications of the queue, one after the other; null = none [s]
-- rejected_jobs: jobs that ask for more ranks than there are, or all jobs of a set for which optimal proves no best schedule [1]
CREATE VIEW pim_ranks_result AS
WITH measures AS (
    PIVOT (SELECT * FROM metric WHERE scenario_id IN (SELECT scenario_id FROM scenario WHERE study = 'pim_ranks'))
    ON metric IN (
        'throughput_per_s', 'att_s', 'makespan_s', 'makespan_lower_bound_s', 'rank_utilisation', 'overhead_share',
        'rejected_jobs', 'profiling_s'
    )
    USING first(value) GROUP BY scenario_id
),
ours AS (
    SELECT scenario.*, measures.* EXCLUDE (scenario_id)
    FROM scenario JOIN measures USING (scenario_id)
)
SELECT
    ours.scenario_id,
    family AS workload,
    kind, set_name, trace, origin, batch, arrival, load, jobs,
    table_id,
    nullif(regexp_extract(table_id, '^(measured_shapes/[0-9]+)(/|$)', 1), '') AS member,
    nullif(regexp_extract(table_id, '^(measured_shapes)/', 1), '') AS evidence,
    nullif(regexp_extract(table_id, '^measured_shapes/.*-([a-z]+)[0-9]+$', 1), '') AS requests,
    host_share, host_shares,
    nullif(regexp_extract(table_id, '-transfer([0-9.:]+)-', 1), '') AS transfer,
    ours.coop_limit,
    ours.ranks, ours.scheduler, ours."window", ours.ooo_window, ours.perf_at, ours.objective, ours.profiling_ratio,
    ours.threshold,
    ours.coop_limit = 1.1 AND ours."window" = 6 AND ours.ooo_window IS NULL AND ours.perf_at = 'leftover'
        AND ours.objective = 'makespan' AND ours.profiling_ratio IS NULL AND ours.threshold IS NULL AND host_shares IS NULL AND transfer IS NULL AS is_default,
    ours.throughput_per_s,
    ours.throughput_per_s / baseline.throughput_per_s AS throughput_ratio,
    ours.att_s,
    baseline.att_s / ours.att_s AS att_ratio,
    ours.makespan_s,
    ours.makespan_lower_bound_s,
    ours.rank_utilisation,
    ours.overhead_share,
    ours.profiling_s,
    ours.rejected_jobs
FROM ours
JOIN workload_pim_ranks USING (workload_id)
LEFT JOIN (
    SELECT workload_id, table_id, ranks, throughput_per_s, att_s
    FROM ours WHERE scheduler = 'se_full'
) AS baseline USING (workload_id, table_id, ranks);
