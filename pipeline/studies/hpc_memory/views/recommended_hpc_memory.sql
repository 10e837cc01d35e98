-- Which scheduler to use, by utilisation and by response time: both are measured after the warm-up on all that was
-- replayed, and compared pair by pair (paired_hpc_memory). A scheduler is out where another is better. Of the rest, one
-- with the least response time is taken among those within 0.01 of the best utilisation, and of all that tie with it the
-- simplest. docs/concepts/methods.md
-- study: study
-- trace: trace the jobs come from, or the kind of a synthetic workload
-- question: what is to be run, in words
-- setting: size of the machine, in words
-- scheduler: scheduler to use
-- metric: what value is
-- value: utilisation [1]
-- lo: lower end of its 95 % interval; null = no interval, too few blocks [as value]
-- hi: upper end; null = no interval, too few blocks [as value]
-- runner_up: best of the others
-- margin: utilisation of the recommended one less that of the runner-up [1]
-- margin_lo: lower end of its paired 95 % interval; null = no interval, too few blocks [1]
-- margin_hi: upper end; null = no interval, too few blocks [1]
-- margin_kind: difference: of two shares
-- tied: whether runner_up and the recommended one are a tie, within 0.01 of utilisation and 5 % of response time
-- replicates: spans of time, or batches, that the intervals are resampled from [1]
-- workload: workload without its batch
-- memory_per_node_gb: fast memory of the machine divided by its nodes [GB]
-- verdict: what the recommended one is to the runner-up: better, tie, trade_off (the runner-up is better in one measure and worse in the other) or open (the interval is too wide to tell); null = no other was tried
-- tied_with: all schedulers that tie with the recommended one; null = none
-- compared: schedulers that were compared; 1 = only this one was replayed at the size, which says nothing for it [1]
-- evidence: intervals, or estimates where there are too few blocks for an interval
-- loss: utilisation lost against unlimited memory on the same jobs [1]
-- response_ratio: mean response time over that with unlimited memory [1]
-- wait_s: mean waiting time [s]
-- wait_ratio: the same over that with unlimited memory; null where nobody waits there [1]
-- slowdown: mean bounded slowdown [1]
-- response_margin: mean response time over the runner-up's, less one; negative = faster [1]
-- response_margin_lo: lower end of its paired 95 % interval; null = no interval [1]
-- response_margin_hi: upper end [1]
-- share_of_log: share of the log's jobs that are replayed; null where no log is [1]
-- nodes: size of the machine
-- nodes_origin: where it comes from, as in trace; peak and largest_job are assumed
-- offered_load: node time of the jobs over that of the machine [1]
-- memory_origin: what the memory of the jobs is, as in hpc_memory_basis
-- assumed: what is assumed of the memory, in words; null = nothing
-- warnings: what makes the answer doubtful, in words; null = nothing known
CREATE VIEW recommended_hpc_memory AS
WITH candidate AS (
    SELECT
        steady.* EXCLUDE (utilisation, utilisation_lo, utilisation_hi, response_s), complexity,
        -- Of the same blocks, where they are those that all were run on.
        CASE WHEN common.utilisation IS NULL OR common.utilisation = steady.utilisation THEN utilisation_lo END AS utilisation_lo,
        CASE WHEN common.utilisation IS NULL OR common.utilisation = steady.utilisation THEN utilisation_hi END AS utilisation_hi,
        -- As compared: on the blocks that all schedulers were run on.
        coalesce(common.utilisation, steady.utilisation) AS utilisation,
        coalesce(common.response_s, steady.response_s) AS response_s,
        EXISTS (
            FROM paired_hpc_memory AS p
            WHERE p.workload = steady.workload AND p.memory_per_node_gb = steady.memory_per_node_gb
                AND p.other = steady.scheduler AND p.relation = 'better'
        ) AS beaten
    FROM steady_hpc_memory AS steady
    JOIN (FROM scheduler WHERE study = 'hpc_memory') AS scheduler USING (scheduler)
    LEFT JOIN (
        SELECT DISTINCT workload, memory_per_node_gb, scheduler, utilisation, response_s FROM paired_hpc_memory
    ) AS common USING (workload, memory_per_node_gb, scheduler)
    WHERE steady.memory_per_node_gb IS NOT NULL AND steady.utilisation IS NOT NULL
),
placed AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY workload, memory_per_node_gb
            ORDER BY beaten, utilisation < best - 0.01, response_s, complexity
        ) AS place
    FROM (SELECT *, max(utilisation) OVER (PARTITION BY workload, memory_per_node_gb, beaten) AS best FROM candidate)
),
recommended AS (
    SELECT placed.*
    FROM placed
    JOIN (FROM placed WHERE place = 1) AS best USING (workload, memory_per_node_gb)
    LEFT JOIN paired_hpc_memory AS pair
        ON pair.workload = placed.workload AND pair.memory_per_node_gb = placed.memory_per_node_gb
        AND pair.scheduler = placed.scheduler AND pair.other = best.scheduler
    WHERE placed.place = 1 OR (relation = 'tie' AND NOT placed.beaten)
    QUALIFY row_number() OVER (
        PARTITION BY placed.workload, placed.memory_per_node_gb ORDER BY placed.complexity, placed.place
    ) = 1
),
ties AS (
    SELECT
        workload, memory_per_node_gb, scheduler, count(*) + 1 AS compared,
        string_agg(other, ', ' ORDER BY other) FILTER (relation = 'tie') AS tied_with
    FROM paired_hpc_memory GROUP BY ALL
),
compared AS (
    SELECT pair.*
    FROM recommended
    JOIN paired_hpc_memory AS pair USING (workload, memory_per_node_gb, scheduler)
    JOIN placed AS other
        ON other.workload = pair.workload AND other.memory_per_node_gb = pair.memory_per_node_gb
        AND other.scheduler = pair.other
    QUALIFY row_number() OVER (
        PARTITION BY pair.workload, pair.memory_per_node_gb
        ORDER BY relation = 'trade_off' AND NOT other.beaten DESC, other.place
    ) = 1
)
SELECT
    'hpc_memory' AS study, coalesce(basis.trace, basis.kind) AS trace, recommended.workload AS question,
    replace(said_size(recommended.memory_per_node_gb, recommended.memory_per_node_gb), chr(160), ' ') || ' per node' AS setting,
    recommended.scheduler, 'utilisation' AS metric,
    recommended.utilisation AS value, recommended.utilisation_lo AS lo, recommended.utilisation_hi AS hi,
    compared.other AS runner_up,
    utilisation_difference AS margin, utilisation_difference_lo AS margin_lo, utilisation_difference_hi AS margin_hi,
    'difference' AS margin_kind,
    coalesce(compared.relation = 'tie', false) AS tied,
    coalesce(compared.blocks, recommended.blocks) AS replicates,
    recommended.workload, recommended.memory_per_node_gb,
    compared.relation AS verdict, tied_with, coalesce(ties.compared, 1) AS compared,
    CASE WHEN utilisation_difference_lo IS NULL THEN 'estimates' ELSE 'intervals' END AS evidence,
    recommended.loss, recommended.response_ratio, recommended.wait_s, recommended.wait_ratio, recommended.slowdown,
    response_difference AS response_margin, response_difference_lo AS response_margin_lo,
    response_difference_hi AS response_margin_hi,
    share_of_log, nodes, nodes_origin, offered_load, memory_origin, assumed, warnings
FROM recommended
LEFT JOIN compared USING (workload, memory_per_node_gb)
LEFT JOIN ties
    ON ties.workload = recommended.workload AND ties.memory_per_node_gb = recommended.memory_per_node_gb
    AND ties.scheduler = recommended.scheduler
JOIN hpc_memory_basis AS basis ON basis.workload = recommended.workload
ORDER BY trace, recommended.workload, recommended.memory_per_node_gb;
