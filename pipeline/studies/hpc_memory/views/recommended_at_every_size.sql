-- Which scheduler to use at every size of memory that was tried, also at the sizes of the second round, which not all
-- schedulers were replayed with; recommended_hpc_memory has the sizes of the grid and says how one is chosen.
-- columns: as recommended_hpc_memory
-- grid: coarse (a configured memory size) or refined (placed by what the coarse ones gave)
CREATE VIEW recommended_at_every_size AS
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
    QUALIFY grid = min(grid) OVER (PARTITION BY workload, steady.memory_per_node_gb)
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
    share_of_log, nodes, nodes_origin, offered_load, memory_origin, assumed, warnings, recommended.grid
FROM recommended
LEFT JOIN compared USING (workload, memory_per_node_gb)
LEFT JOIN ties
    ON ties.workload = recommended.workload AND ties.memory_per_node_gb = recommended.memory_per_node_gb
    AND ties.scheduler = recommended.scheduler
JOIN hpc_memory_basis AS basis ON basis.workload = recommended.workload
ORDER BY trace, recommended.workload, recommended.memory_per_node_gb;
