-- What the terminal and the page say of local memory beside a pool: which mix to buy, under which scheduler, at what price;
-- or why there is none to name. From memory_mix_for_loss and recommended_memory_tiers.
-- columns: as answer
CREATE VIEW answer_memory_tiers AS
WITH mix AS (
    -- Of each bound the cheapest machine, or a row of a scheduler that has none.
    SELECT *, abs(loss_bound - 0.01) AS from_preferred
    FROM memory_mix_for_loss
    QUALIFY row_number() OVER (
        PARTITION BY trace, workload, loss_bound ORDER BY place NULLS LAST, usd NULLS LAST, scheduler
    ) = 1
),
preferred AS (
    SELECT * FROM mix
    QUALIFY row_number() OVER (PARTITION BY trace, workload ORDER BY from_preferred, loss_bound) = 1
),
mixes AS (
    SELECT
        preferred.trace, basis.origin,
        said_number(basis.jobs) || ' jobs on ' || said_number(preferred.nodes) || ' ' || coalesce(unit, 'node') || 's' AS about,
        recommended.setting, recommended.scheduler,
        said_margin(runner_up, margin, margin_lo, margin_hi, margin_kind, tied) AS gain,
        runner_up, margin, margin_lo, margin_hi, margin_kind, tied,
        CASE
            WHEN preferred.place IS NULL THEN 'no mix that was tried is enough'
            ELSE said_size(local_per_node_gb, local_per_node_gb, digits := 2) || ' local and '
                || said_size(pool_per_node_gb, pool_per_node_gb, digits := 2) || ' of pool per ' || coalesce(unit, 'node') || ' with ' || preferred.scheduler || ': '
                || said_number(usd) || ' USD (' || CASE
                    WHEN usd_lo IS NULL AND usd_hi IS NULL THEN 'no interval'
                    WHEN usd_hi IS NULL
                        THEN 'above ' || said_number(usd_lo) || ': no machine that was tried is surely enough'
                    ELSE said_number(usd_lo) || '–' || said_number(usd_hi)
                END || ')' || CASE WHEN usd_today IS NULL THEN '' ELSE ' instead of ' || said_number(usd_today) || ' USD today' END
                || '; at most ' || said_share(preferred.loss_bound) || ' utilisation lost, '
                || said_share(response_bound, digits := 0) || ' more response time'
                || coalesce('; ' || preferred.tied_with || ' may cost as little', '')
        END AS amount,
        nullif(concat_ws('. ', preferred.assumed, preferred.warnings), '') AS assumed,
        of_bound AS ordered
    FROM preferred
    JOIN memory_tiers_basis AS basis USING (workload)
    LEFT JOIN (SELECT trace, unit FROM trace) AS machine ON machine.trace = basis.trace
    JOIN (SELECT trace, workload, loss_bound AS of_bound FROM mix) AS mix ON mix.trace = preferred.trace AND mix.workload = preferred.workload
    JOIN recommended_memory_tiers AS recommended
        ON recommended.trace = mix.trace
        AND recommended.setting = printf('loss of utilisation up to %g %%', of_bound * 100)
),
without AS (
    SELECT
        trace, kind AS origin, said_number(count(*)) || ' jobs' AS about,
        'cannot be said: ' || CASE
            WHEN memory_origin IS NULL THEN 'the trace tells neither the memory that its jobs used nor a series of it'
            ELSE 'its jobs share nodes, and how much of a node''s own memory each may take is not in a log'
        END AS amount, 9 AS ordered
    FROM trace JOIN job USING (trace)
    WHERE status = 'read' AND (memory_origin IS NULL OR unit = 'core' AND cores_per_node > 1) AND trace NOT IN (SELECT trace FROM memory_tiers_basis)
        AND coalesce(unit, 'node') IN ('node', 'core')
        AND NOT EXISTS (
            FROM setting WHERE key = 'studies' AND value <> 'null' AND NOT contains(value, '"memory_tiers"')
        )
    GROUP BY ALL
)
SELECT
    'memory_tiers' AS study, 'mix' AS topic, trace, trace AS subject, origin, about,
    row_number() OVER (ORDER BY ordered = 9, trace, ordered) AS place,
    setting, scheduler, NULL::VARCHAR AS also, gain, runner_up, margin, margin_lo, margin_hi, margin_kind, tied,
    'enough' AS measure, amount, NULL::VARCHAR AS details, assumed, NULL::VARCHAR AS how_true
FROM (FROM mixes UNION ALL BY NAME FROM without)
ORDER BY place;
