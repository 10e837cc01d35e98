-- The least memory per node for each of a list of accepted losses: what smallest_memory and smallest_memory_for_loss ask.
-- A size is enough where the mean loss there and at every larger size that was tried is within the bound. Defaults of
-- the study: alpha 0.03, tau 1 s (dynamic: a phase), serial reconfiguration, EASY. A trace of an HPC machine whose jobs
-- were not replayed has a row that says why.
-- study: study
-- trace: trace the jobs come from, or the kind of a synthetic workload
-- workload: workload without its batch; null = the trace is in none that has an answer
-- scheduler: scheduler; null = as workload
-- loss_bound: loss against unlimited memory that is accepted [1]
-- memory_per_node_gb: least memory per node that keeps it; null = none that was tried does [GB]
-- memory_lo_gb: lower end of its 95 % interval: largest size at which even the lower end of the loss's interval exceeds the bound; null = none, or one batch [GB]
-- memory_hi_gb: upper end: least size from which on the upper end of the loss's interval keeps the bound; null = none, or one batch [GB]
-- fails_at_gb: largest size tried that fails; the least that is enough lies above it; null = none tried does [GB]
-- loss: mean loss at memory_per_node_gb [1]
-- loss_lo: lower end of its 95 % interval [1]
-- loss_hi: upper end of its 95 % interval [1]
-- response_ratio: mean response time there over that with unlimited memory [1]
-- wait_ratio: mean waiting time there over that with unlimited memory [1]
-- batches: independent batches [1]
-- nodes: nodes of the machine [1]
-- node_memory_gb: memory a node that savings are counted from; null = not known [GB]
-- gb_saved: memory saved on the whole machine; negative = that much more [GB]
-- share_saved: gb_saved as a share of the machine's memory [1]
-- usd_saved: gb_saved at the price of the configuration (prices.memory_usd_per_gb) [USD]
-- unanswered: why there is no memory_per_node_gb, in words; null = there is
CREATE MACRO smallest_memory_at(accepted_losses) AS TABLE
WITH run AS (
    SELECT
        *,
        max(loss) OVER from_here AS worst,
        max(loss_hi) OVER from_here AS worst_hi
    FROM hpc_memory_summary
    WHERE memory_per_node_gb IS NOT NULL AND isfinite(loss) AND alpha = 0.03 AND (tau_s = 1 OR kind = 'dynamic')
        AND reconfiguration = 'serial' AND backfilling = 'easy' AND NOT free_start AND largest_by = 'memory'
    WINDOW from_here AS (PARTITION BY workload, scheduler ORDER BY memory_per_node_gb DESC)
),
enough AS (
    SELECT
        workload, kind, trace_id, scheduler, loss_bound,
        min(memory_per_node_gb) FILTER (worst <= loss_bound) AS memory_per_node_gb,
        max(memory_per_node_gb) FILTER (loss_lo > loss_bound) AS memory_lo_gb,
        min(memory_per_node_gb) FILTER (worst_hi <= loss_bound) AS memory_hi_gb,
        max(memory_per_node_gb) FILTER (worst > loss_bound) AS fails_at_gb
    FROM run CROSS JOIN (SELECT unnest(accepted_losses)::DOUBLE AS loss_bound)
    GROUP BY ALL
),
machine AS (
    SELECT family AS workload, any_value(nodes) AS nodes, any_value(node_memory_gb) AS node_memory_gb
    FROM workload GROUP BY ALL
),
price AS (
    SELECT max(value::DOUBLE) AS usd_per_gb FROM setting WHERE key = 'prices.memory_usd_per_gb'
),
lending AS (
    SELECT shapes AS trace_id, string_agg(DISTINCT family, ', ' ORDER BY family) AS families
    FROM workload WHERE shapes IS NOT NULL GROUP BY shapes
),
without AS (
    SELECT
        trace.trace_id, trace.nodes, trace.node_memory_gb,
        CASE
            WHEN trace.jobs = 0 THEN 'no queue of jobs: memory series tell neither when jobs come nor on how many '
                || 'nodes they run' || coalesce('; composed with the queue of a log they are in ' || families, '')
            WHEN EXISTS (FROM workload WHERE workload.trace_id = trace.trace_id)
                THEN 'no loss is known: its workloads were not replayed with limited memory at the default parameters, '
                    || 'or have no time in which work could be lost'
            ELSE 'its jobs are in no workload: their memory or run times are not known, or the configuration has no '
                || 'sweep that takes them'
        END AS unanswered
    FROM trace LEFT JOIN lending USING (trace_id)
    WHERE trace.status = 'read' AND trace.trace_id NOT IN (SELECT trace_id FROM enough WHERE trace_id IS NOT NULL)
        AND (
            trace.jobs > 0 OR trace.samples > 0
            OR EXISTS (FROM phase WHERE phase.trace_id = trace.trace_id)
        )
)
SELECT
    'hpc_memory' AS study, coalesce(enough.trace_id, enough.kind) AS trace, enough.workload, enough.scheduler,
    enough.loss_bound, enough.memory_per_node_gb, memory_lo_gb, memory_hi_gb, fails_at_gb,
    run.loss, run.loss_lo, run.loss_hi, run.response_ratio, run.wait_ratio, run.batches,
    nodes, node_memory_gb,
    (node_memory_gb - enough.memory_per_node_gb) * nodes AS gb_saved,
    1 - enough.memory_per_node_gb / nullif(node_memory_gb, 0) AS share_saved,
    (node_memory_gb - enough.memory_per_node_gb) * nodes * usd_per_gb AS usd_saved,
    CASE
        WHEN enough.memory_per_node_gb IS NULL THEN 'no size that was tried keeps the bound: it takes more than '
            || 'fails_at_gb'
    END AS unanswered
FROM enough
JOIN machine USING (workload)
CROSS JOIN price
LEFT JOIN run
    ON run.workload = enough.workload AND run.scheduler = enough.scheduler
    AND run.memory_per_node_gb = enough.memory_per_node_gb
UNION ALL BY NAME
SELECT 'hpc_memory' AS study, trace_id AS trace, loss_bound, nodes, node_memory_gb, unanswered
FROM without CROSS JOIN (SELECT unnest(accepted_losses)::DOUBLE AS loss_bound)
ORDER BY trace, workload, loss_bound, scheduler;
