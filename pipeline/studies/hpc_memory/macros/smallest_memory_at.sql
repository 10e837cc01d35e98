-- The least memory per node that keeps two bounds: each of a list of losses of utilisation, and one growth of the mean
-- response time, both against unlimited memory; what smallest_memory and smallest_memory_for_loss ask. A size is enough
-- where both are kept there and at every larger size that was tried. Measured after the warm-up on all that was replayed,
-- at the study's defaults (alpha 0.03, tau 1 s, serial reconfiguration, EASY). A trace of an HPC machine whose jobs were
-- not replayed, or whose memory is a default of the site, has a row that says why.
-- study: study
-- trace: trace the jobs come from, or the kind of a synthetic workload
-- workload: workload without its batch; null = the trace is in none that has an answer
-- scheduler: scheduler; null = as workload
-- loss_bound: loss of utilisation against unlimited memory that is accepted [1]
-- response_bound: growth of the mean response time against unlimited memory that is accepted [1]
-- memory_per_node_gb: least memory per node that keeps both; null = none that was tried does [GB]
-- memory_lo_gb: lower end of its 95 % interval: largest size at which even the better end of an interval breaks a bound; null = none, or no interval [GB]
-- memory_hi_gb: upper end: least size from which on the worse ends of both intervals keep the bounds; null = none, or no interval [GB]
-- fails_at_gb: largest size tried that fails; the least that is enough lies above it; null = none tried does [GB]
-- fails_by: what breaks its bound there: utilisation, response or both; null as fails_at_gb
-- at_most: whether memory_per_node_gb is the smallest size that was tried: less may be enough
-- loss: loss of utilisation at memory_per_node_gb [1]
-- loss_lo: lower end of its 95 % interval [1]
-- loss_hi: upper end of its 95 % interval [1]
-- response_ratio: mean response time there over that with unlimited memory [1]
-- response_ratio_lo: lower end of its 95 % interval [1]
-- response_ratio_hi: upper end of its 95 % interval [1]
-- wait_s: mean waiting time there [s]
-- unlimited_wait_s: mean waiting time with unlimited memory [s]
-- wait_ratio: wait_s over unlimited_wait_s; null where nobody waits with unlimited memory [1]
-- blocks: spans of time, or batches, that the intervals are resampled from [1]
-- share_of_log: share of the log's jobs that are replayed; null where no log is [1]
-- nodes: size of the machine
-- nodes_origin: where it comes from, as in trace; peak and largest_job are assumed
-- offered_load: node time of the jobs over that of the machine [1]
-- memory_origin: what the memory of the jobs is, as in hpc_memory_basis
-- assumed: what is assumed of the memory, in words; null = nothing
-- warnings: what makes the answer doubtful, in words; null = nothing known
-- node_memory_gb: memory per node that savings are counted from; null = not known, or too much is assumed to count any [GB]
-- gb_saved: memory saved on the whole machine; negative = that much more [GB]
-- share_saved: gb_saved as a share of the machine's memory [1]
-- usd_saved: gb_saved at the price of the configuration (prices.memory_usd_per_gb) [USD]
-- unanswered: why there is no memory_per_node_gb, in words; null = there is
CREATE MACRO smallest_memory_at(accepted_losses, accepted_growth) AS TABLE
WITH bound AS (
    SELECT loss_bound, response_bound
    FROM (SELECT unnest(accepted_losses)::DOUBLE AS loss_bound)
    CROSS JOIN (SELECT accepted_growth::DOUBLE AS response_bound)
),
run AS (
    SELECT
        *,
        max(loss) OVER from_here AS worst,
        max(loss_hi) OVER from_here AS worst_hi,
        max(response_ratio - 1) OVER from_here AS slowest,
        max(response_ratio_hi - 1) OVER from_here AS slowest_hi
    FROM steady_hpc_memory
    WHERE memory_per_node_gb IS NOT NULL AND loss IS NOT NULL AND response_ratio IS NOT NULL
        -- A default of the site is no measurement: no amount can be said to be enough.
        AND workload NOT IN (SELECT workload FROM hpc_memory_basis WHERE memory_origin = 'default')
    WINDOW from_here AS (PARTITION BY workload, scheduler ORDER BY memory_per_node_gb DESC)
),
enough AS (
    SELECT
        workload, scheduler, loss_bound, response_bound,
        min(memory_per_node_gb) AS smallest_gb,
        min(memory_per_node_gb) FILTER (worst <= loss_bound AND slowest <= response_bound) AS memory_per_node_gb,
        max(memory_per_node_gb) FILTER (loss_lo > loss_bound OR response_ratio_lo - 1 > response_bound) AS memory_lo_gb,
        min(memory_per_node_gb) FILTER (worst_hi <= loss_bound AND slowest_hi <= response_bound) AS memory_hi_gb,
        max(memory_per_node_gb) FILTER (worst > loss_bound OR slowest > response_bound) AS fails_at_gb,
        max(memory_per_node_gb) FILTER (worst > loss_bound) AS loses_at_gb,
        max(memory_per_node_gb) FILTER (slowest > response_bound) AS delays_at_gb
    FROM run CROSS JOIN bound
    GROUP BY ALL
),
price AS (
    SELECT max(value::DOUBLE) AS usd_per_gb FROM setting WHERE key = 'prices.memory_usd_per_gb'
),
lending AS (
    SELECT shapes AS trace, string_agg(DISTINCT family, ', ' ORDER BY family) AS families
    FROM workload WHERE shapes IS NOT NULL GROUP BY shapes
),
without AS (
    SELECT
        trace.trace, trace.nodes, trace.node_memory_gb,
        CASE
            WHEN trace.jobs = 0 THEN 'no queue of jobs: memory series tell neither when jobs come nor on how many '
                || 'nodes they run' || coalesce('; composed with the queue of a log they are in ' || families, '')
            WHEN trace.memory_origin = 'default'
                THEN 'used memory is a default of the site, no measurement. Say in trace.yaml which column has the memory '
                    || 'that jobs used (columns: used_memory_gb)'
            WHEN EXISTS (FROM workload WHERE workload.trace = trace.trace)
                THEN 'no loss is known: its workloads were not replayed with limited memory at the default parameters, '
                    || 'or have no time in which work could be lost'
            ELSE 'its jobs are in no workload: their memory or run times are not known, or the configuration has no '
                || 'sweep that takes them'
        END AS unanswered
    FROM trace LEFT JOIN lending USING (trace)
    WHERE trace.status = 'read' AND trace.trace NOT IN (
        SELECT trace FROM enough JOIN hpc_memory_basis USING (workload) WHERE trace IS NOT NULL
    )
        AND (
            trace.jobs > 0 OR trace.samples > 0
            OR EXISTS (FROM phase WHERE phase.trace = trace.trace)
        )
)
SELECT
    'hpc_memory' AS study, coalesce(trace, kind) AS trace, enough.workload, enough.scheduler,
    loss_bound, response_bound, enough.memory_per_node_gb, memory_lo_gb, memory_hi_gb, fails_at_gb,
    CASE
        WHEN loses_at_gb = delays_at_gb THEN 'both'
        WHEN loses_at_gb > delays_at_gb OR delays_at_gb IS NULL AND loses_at_gb IS NOT NULL THEN 'utilisation'
        WHEN delays_at_gb IS NOT NULL THEN 'response'
    END AS fails_by,
    enough.memory_per_node_gb = smallest_gb AS at_most,
    run.loss, run.loss_lo, run.loss_hi, run.response_ratio, run.response_ratio_lo, run.response_ratio_hi,
    run.wait_s, unlimited.wait_s AS unlimited_wait_s, run.wait_ratio, run.blocks,
    share_of_log, nodes, nodes_origin, offered_load, memory_origin, assumed, warnings, node_memory_gb,
    (node_memory_gb - enough.memory_per_node_gb) * nodes / cores_per_node AS gb_saved,
    1 - enough.memory_per_node_gb / nullif(node_memory_gb, 0) AS share_saved,
    (node_memory_gb - enough.memory_per_node_gb) * nodes / cores_per_node * usd_per_gb AS usd_saved,
    CASE
        WHEN enough.memory_per_node_gb IS NULL THEN 'no size that was tried keeps both bounds: it takes more than '
            || 'fails_at_gb'
    END AS unanswered
FROM enough
JOIN hpc_memory_basis USING (workload)
CROSS JOIN price
LEFT JOIN run
    ON run.workload = enough.workload AND run.scheduler = enough.scheduler
    AND run.memory_per_node_gb = enough.memory_per_node_gb
LEFT JOIN (FROM steady_hpc_memory WHERE scheduler = 'unlimited') AS unlimited ON unlimited.workload = enough.workload
UNION ALL BY NAME
SELECT
    'hpc_memory' AS study, trace, loss_bound, response_bound, nodes, node_memory_gb, unanswered
FROM without CROSS JOIN bound
ORDER BY trace, workload, loss_bound, scheduler;
