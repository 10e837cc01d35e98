-- What the terminal and the page say of jobs on nodes that share memory: which scheduler at which size, and how much is enough.
-- From recommended_hpc_memory, enough_memory, hpc_memory_knowledge and closest_dialects.
-- columns: as answer
CREATE VIEW answer_hpc_memory AS
WITH asked AS (
    SELECT
        family AS workload, load, release, job_nodes, memory_law, law_spread, workload.origin, count(*) AS batches,
        max(workload.jobs) AS jobs_each, any_value(workload.knowledge) AS usual_knowledge
    FROM workload
    GROUP BY ALL
),
enough AS MATERIALIZED (FROM enough_memory),
-- The size for the loss that is nearest to 1 %.
kept AS (
    SELECT * FROM enough QUALIFY row_number() OVER (PARTITION BY workload ORDER BY abs(loss_bound - 0.01), loss_bound) = 1
),
recommended AS (
    SELECT
        sizes.*,
        coalesce(len(string_split(sizes.tied_with, ', ')) = compared - 1, false) AS any_will_do,
        concat_ws(
            '; ',
            CASE
                WHEN len(string_split(sizes.tied_with, ', ')) = compared - 1 THEN 'tie'
                WHEN sizes.tied_with IS NOT NULL THEN 'tie with ' || sizes.tied_with
                WHEN verdict = 'trade_off'
                    THEN 'trade-off: ' || CASE WHEN response_margin < 0 THEN 'less' ELSE 'more' END || ' response time and '
                        || CASE WHEN response_margin < 0 THEN 'less' ELSE 'more' END || ' utilisation than ' || runner_up
                WHEN verdict = 'open'
                    THEN coalesce(
                        nullif(
                            concat_ws(
                                '; ',
                                CASE
                                    WHEN response_margin_lo > 0 OR response_margin_hi < 0
                                        THEN CASE WHEN response_margin_lo > 0 THEN 'more' ELSE 'less' END
                                            || ' response time than ' || runner_up || ', perhaps under 5 %'
                                END,
                                CASE
                                    WHEN margin_lo > 0 OR margin_hi < 0
                                        THEN CASE WHEN margin_lo > 0 THEN 'more' ELSE 'less' END
                                            || ' utilisation than ' || runner_up || ', perhaps under 1 point'
                                END
                            ),
                            ''
                        ),
                        runner_up || ' may be as good'
                    )
            END,
            CASE WHEN evidence = 'estimates' AND runner_up IS NOT NULL THEN 'no interval' END
        ) AS also
    FROM recommended_hpc_memory AS sizes
),
marked AS (
    SELECT
        *,
        coalesce(
            lag(if(any_will_do, NULL, scheduler)) OVER by_size IS DISTINCT FROM if(any_will_do, NULL, scheduler)
            OR lag(also) OVER by_size IS DISTINCT FROM also,
            true
        )::INT AS begins
    FROM recommended
    WINDOW by_size AS (PARTITION BY workload ORDER BY memory_per_node_gb)
),
numbered AS (
    SELECT *, sum(begins) OVER (PARTITION BY workload ORDER BY memory_per_node_gb) AS run FROM marked
),
-- Sizes that follow each other and have the same scheduler, as sure, stand in one row.
ranges AS (
    SELECT
        workload, run, any_value(if(any_will_do, NULL, scheduler)) AS scheduler, any_value(also) AS also,
        min(memory_per_node_gb) AS from_gb, max(memory_per_node_gb) AS to_gb, count(*) AS settings,
        arg_max(runner_up, response_margin) AS runner_up, max(response_margin) AS margin,
        arg_max(response_margin_lo, response_margin) AS margin_lo,
        arg_max(response_margin_hi, response_margin) AS margin_hi, bool_or(tied) AS tied
    FROM numbered
    GROUP BY ALL
),
said AS (
    SELECT
        enough.*,
        CASE
            WHEN enough.memory_per_node_gb IS NULL THEN 'no size that was tried'
            ELSE CASE WHEN at_most THEN '≤ ' ELSE '' END
                || size_number(enough.memory_per_node_gb, largest_gb, assumed_mean_gb, figures) || chr(160)
                || CASE WHEN assumed_mean_gb IS NULL THEN size_unit(largest_gb) ELSE 'times' END || ' (' || CASE
                    WHEN memory_lo_gb IS NOT NULL AND memory_hi_gb IS NOT NULL
                        THEN size_number(memory_lo_gb, largest_gb, assumed_mean_gb, figures) || '–'
                            || size_number(memory_hi_gb, largest_gb, assumed_mean_gb, figures)
                    WHEN memory_lo_gb IS NOT NULL
                        THEN 'above ' || size_number(memory_lo_gb, largest_gb, assumed_mean_gb, figures)
                    WHEN memory_hi_gb IS NOT NULL
                        THEN 'up to ' || size_number(memory_hi_gb, largest_gb, assumed_mean_gb, figures)
                    WHEN blocks < 5 THEN 'no interval'
                    ELSE 'interval beyond the sizes tried'
                END || ')'
        END AS size,
        CASE
            WHEN len(string_split(tied_with, ', ')) = tried - 1 THEN 'with any scheduler, all tie'
            ELSE 'with ' || scheduler || coalesce(
                ' (' || nullif(concat_ws('; ', 'tie with ' || tied_with, open_with || ' may need as little'), '') || ')', ''
            )
        END AS whom,
        CASE WHEN enough.loss_bound < 0.01 THEN 1 ELSE 0 END AS digits
    FROM (
        SELECT
            *, greatest(memory_per_node_gb, memory_lo_gb, memory_hi_gb) AS largest_gb,
            -- Sizes of a trace are multiples of its mean, others are those of the configuration.
            CASE WHEN kind IN ('replayed', 'composed') THEN 2 ELSE 4 END AS figures
        FROM enough JOIN hpc_memory_basis USING (workload)
    ) AS enough
),
-- What other losses need, where that is not the same.
others AS (
    SELECT
        said.workload,
        string_agg(
            'for at most ' || said_share(said.loss_bound, digits := said.digits) || ' utilisation lost ' || CASE
                WHEN said.memory_per_node_gb IS NULL THEN said.size ELSE said.size || ' with ' || said.scheduler
            END,
            '; ' ORDER BY said.loss_bound
        ) FILTER (
            (said.memory_per_node_gb, said.scheduler) IS DISTINCT FROM (kept.memory_per_node_gb, kept.scheduler)
        ) AS details
    FROM said JOIN kept USING (workload)
    GROUP BY ALL
),
amounts AS (
    SELECT
        basis.workload,
        CASE
            WHEN basis.memory_origin = 'default'
                THEN 'cannot be said: used memory is a default of the site, no measurement. Say in trace.yaml which column has '
                    || 'the memory that jobs used (columns: used_memory_gb)'
            WHEN kept.memory_per_node_gb IS NULL THEN 'no size that was tried is enough'
            ELSE said.size || ' ' || CASE
                WHEN basis.assumed_mean_gb IS NULL THEN 'per ' || basis.per
                ELSE 'the mean memory that its jobs use'
            END || CASE WHEN said.at_most THEN ', the smallest tried' ELSE '' END || ' ' || whom || ': at most '
                || said_share(kept.loss_bound, digits := 0) || ' utilisation lost, '
                || said_share(kept.response_bound, digits := 0) || ' more response time; '
                || said_waits(kept.wait_s, kept.unlimited_wait_s)
                || CASE
                    WHEN basis.node_memory_gb IS NULL THEN ''
                    WHEN abs(1 - kept.memory_per_node_gb / basis.node_memory_gb) < 0.005 THEN '; as much memory as today'
                    ELSE '; ' || said_share(abs(1 - kept.memory_per_node_gb / basis.node_memory_gb), digits := 0)
                        || CASE WHEN kept.memory_per_node_gb > basis.node_memory_gb THEN ' more' ELSE ' less' END
                        || ' memory than today (' || said_size(basis.node_memory_gb, basis.node_memory_gb) || ')'
                END
                || CASE
                    WHEN basis.assumed_mean_gb IS NULL THEN '' ELSE '; say mean_memory_gb in trace.yaml to have it in GB'
                END
        END AS amount
    FROM hpc_memory_basis AS basis
    LEFT JOIN kept USING (workload)
    LEFT JOIN said ON said.workload = kept.workload AND said.loss_bound = kept.loss_bound
),
-- What the loss would be were each run known beforehand, at the size with the largest difference.
known AS (
    SELECT
        workload,
        arg_max(
            printf(
                '%s knows earlier runs of the log: it loses %s of utilisation at %s per node, and %s if it knew each run itself',
                scheduler, said_share(loss), said_size(memory_per_node_gb, memory_per_node_gb, digits := 2),
                said_share(own_loss)
            ),
            (round(abs(loss - own_loss), 9), memory_per_node_gb, scheduler)
        ) AS knows
    FROM (FROM hpc_memory_knowledge WHERE knowledge = 'history')
    JOIN (
        SELECT workload, memory_per_node_gb, scheduler, loss AS own_loss FROM hpc_memory_knowledge WHERE knowledge = 'own'
    ) USING (workload, memory_per_node_gb, scheduler)
    WHERE is_default
    GROUP BY ALL
),
true_of AS (
    SELECT
        trace,
        concat_ws(
            '; ',
            CASE
                WHEN mean_wait_error IS NULL
                    THEN 'nobody waited on the machine, ' || said_duration(mean_wait_replayed_s) || ' in the replay'
                WHEN mean_wait_error > 1
                    THEN 'mean wait ' || said_number(1 + mean_wait_error) || ' times the machine''s '
                        || said_duration(mean_wait_measured_s)
                ELSE 'mean wait ' || said_share(abs(mean_wait_error)) || CASE
                    WHEN mean_wait_error > 0 THEN ' above' ELSE ' below'
                END || ' the machine''s ' || said_duration(mean_wait_measured_s)
            END || CASE
                WHEN wait_error_least IS NULL THEN ''
                ELSE ' (mean over drawn limits; error ' || said_share(wait_error_least) || ' to ' || said_share(wait_error_most)
                    || ')'
            END || '; ' || CASE
                WHEN discordant_queued IS NULL THEN 'no two jobs waited together'
                ELSE said_share(discordant_queued, digits := 2) || ' of the pairs that waited together start in the other order'
            END || ' (dialect ' || setting || ', second half of the log)',
            CASE
                WHEN wait_noise IS NOT NULL
                    THEN 'two runs on the machine differ by ' || said_share(wait_noise) || ' in mean wait and '
                        || said_share(queued_noise, digits := 2) || ' of pairs'
            END,
            CASE
                WHEN held_back >= 0.01
                    THEN said_share(held_back) || ' of the jobs'
                        || CASE
                            WHEN held_back_node_time IS NULL THEN ''
                            ELSE ', with ' || said_share(held_back_node_time) || ' of the node time,'
                        END
                        || ' waited over a minute although all that waited had room '
                        || '(users, holidays, reservations and nodes that are down are not in a log)'
            END
        ) AS how_true
    FROM closest_dialects
    WHERE trace IN (SELECT trace FROM trace WHERE kind = 'measured')
)
SELECT
    'hpc_memory' AS study, 'memory' AS topic, CASE WHEN of_log THEN trace END AS trace,
    CASE
        WHEN basis.kind = 'replayed' THEN trace
        WHEN basis.kind = 'composed'
            THEN trace || ' with assumed memory, ' || coalesce('of ' || shapes, 'by documented laws')
        ELSE coalesce('jobs drawn from ' || trace, basis.kind || ' jobs') || ', load ' || printf('%g', load)
            || CASE WHEN release = 'printed' THEN ' as printed' ELSE '' END || ', ' || job_nodes || ' nodes'
            || CASE WHEN basis.kind = 'phased' THEN ', ' || memory_law || ' memory' ELSE '' END
            || CASE WHEN law_spread <> '' THEN ' (' || law_spread || ')' ELSE '' END
    END AS subject,
    asked.origin,
    CASE
        WHEN of_log
            THEN CASE WHEN share_of_log = 1 THEN 'all its' ELSE said_share(share_of_log) || ' of its' END || ' jobs'
        ELSE said_number(jobs_each) || ' jobs' || CASE WHEN batches > 1 THEN ' × ' || batches || ' batches' ELSE '' END
    END || ' on ' || said_number(basis.nodes) || ' ' || coalesce(unit, 'node') || 's' || CASE WHEN cores_per_node > 1 THEN ' (' || cores_per_node || ' a node)' ELSE '' END
        || coalesce(', offered load ' || said_number(offered_load), '') AS about,
    row_number() OVER (
        ORDER BY list_position(['replayed', 'composed', 'phased', 'dynamic'], basis.kind), basis.workload, from_gb
    ) AS place,
    said_size(from_gb, to_gb, assumed_mean_gb, CASE WHEN of_log THEN 2 ELSE 4 END) || CASE
        WHEN assumed_mean_gb IS NULL THEN ' per ' || per ELSE ''
    END AS setting,
    ranges.scheduler, nullif(also, '') AS also,
    CASE WHEN settings = 1 AND NOT tied THEN said_margin(runner_up, margin, margin_lo, margin_hi, 'response', tied) END
        AS gain,
    runner_up, margin, margin_lo, margin_hi, 'response' AS margin_kind, tied, 'enough' AS measure, amount, details,
    nullif(concat_ws('. ', basis.assumed, CASE
        WHEN of_log AND usual_knowledge = 'own'
            THEN 'The log has no users or no ends of jobs: schedulers that ask for a job''s profile are given its own run, the best '
                || 'they could know'
        ELSE knows
    END, basis.warnings), '') AS assumed,
    CASE WHEN of_log THEN how_true END AS how_true
FROM ranges
JOIN (SELECT *, kind IN ('replayed', 'composed') AS of_log FROM hpc_memory_basis) AS basis USING (workload)
JOIN asked USING (workload)
LEFT JOIN amounts USING (workload)
LEFT JOIN others USING (workload)
LEFT JOIN known USING (workload)
LEFT JOIN true_of USING (trace)
ORDER BY place;
