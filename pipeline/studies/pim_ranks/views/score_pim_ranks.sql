-- What recommends a scheduler in pim_ranks: throughput, of schedulers that do not know all arrivals beforehand (optimal is left out). Batches
-- are independent, tables are what is not known: a batch is the mean over the tables.
-- study: study
-- question: number of the question
-- trace: admissible (drawn to agree with Table 2), proxy, or the trace that the tables come from
-- evidence: what admissible tables agree with: measured_shapes, with Table 2 and SE-Opt over SE-Full; null = of a trace
-- kind: sets, virtual_pim or queue
-- set_name: set, as W3 or VW5 (mixes of the paper), or uniform (drawn uniformly among all applications of the trace); null for a queue
-- arrival: queued, poisson or traced
-- load: offered load of Poisson arrivals [1]
-- jobs: jobs [1]
-- ranks: ranks of the machine [1]
-- requests: what VirtualPIM's users ask for, of a proxy
-- scheduler: scheduler
-- replicate: batch
-- drawn: whether replicates are drawn at random
-- score: log of the throughput over that of se_full [1]
-- turnaround: log of the average turnaround time of se_full over its own [1]
CREATE VIEW score_pim_ranks AS
SELECT
    'pim_ranks' AS study,
    hash(coalesce(trace, ''), evidence, origin, kind, set_name, arrival, load, jobs, ranks, requests) AS question,
    coalesce(trace, CASE origin WHEN 'synthetic' THEN 'admissible' ELSE origin END) AS trace,
    evidence, kind, set_name, arrival, load, jobs, ranks, requests, scheduler, batch::VARCHAR AS replicate,
    -- A traced queue is replayed as it is, once.
    arrival <> 'traced' AS drawn,
    avg(ln(throughput_ratio)) AS score, avg(ln(att_ratio)) AS turnaround
FROM pim_ranks_result
WHERE scheduler <> 'optimal' AND rejected_jobs = 0 AND throughput_ratio IS NOT NULL
    AND "window" = 6 AND ooo_window IS NULL AND perf_at = 'leftover'
    AND profiling_ratio IS NULL AND threshold IS NULL
    -- What is arbitrary in measured shapes is varied for the claims alone.
GROUP BY ALL;
