-- What the terminal and the page say of graphs: which policy traverses them fastest. From recommended_pim_graph, whose remote
-- accesses take five times the energy of local ones here.
-- columns: as answer
CREATE VIEW answer_pim_graph AS
WITH asked AS (
    FROM recommended_pim_graph WHERE energy_ratio = 5
),
marked AS (
    SELECT *, coalesce(lag(scheduler) OVER by_qr IS DISTINCT FROM scheduler, true)::INT AS begins
    FROM asked
    WINDOW by_qr AS (PARTITION BY trace, kind, algorithm, stacks ORDER BY qr)
),
numbered AS (
    SELECT *, sum(begins) OVER (PARTITION BY trace, kind, algorithm, stacks ORDER BY qr) AS run FROM marked
),
-- Latencies that follow each other and have the same policy stand in one row.
latencies AS (
    SELECT
        study, trace, kind, algorithm, stacks, run, scheduler, min(qr) AS first_qr, max(qr) AS last_qr, count(*) AS settings,
        arg_min(runner_up, margin) AS runner_up, min(margin) AS margin, arg_min(margin_lo, margin) AS margin_lo,
        arg_min(margin_hi, margin) AS margin_hi, arg_min(tied, margin) AS tied
    FROM numbered
    GROUP BY ALL
),
whole AS (
    SELECT
        trace, kind, algorithm, stacks, arg_max(value, qr) AS value, max(qr) AS largest_qr,
        string_agg(DISTINCT least_energy, ' or ' ORDER BY least_energy) AS least_energy
    FROM asked
    GROUP BY ALL
)
SELECT
    study, 'graphs' AS topic, CASE WHEN kind = 'dropped' THEN trace END AS trace,
    CASE WHEN kind = 'dropped' THEN trace ELSE 'stand-in of ' || trace END AS subject,
    coalesce((SELECT any_value(dropped.kind) FROM trace AS dropped WHERE dropped.trace = latencies.trace), 'generated') AS origin,
    CASE algorithm
        WHEN 'bfs' THEN 'breadth-first search' WHEN 'sssp' THEN 'shortest paths' WHEN 'bc' THEN 'betweenness centrality'
        ELSE algorithm
    END || ' on ' || stacks || ' stacks' AS about,
    row_number() OVER (
        ORDER BY kind = 'stand_in', trace, list_position(['bfs', 'sssp', 'bc'], algorithm), stacks, first_qr
    ) AS place,
    'remote access ' || said_number(first_qr) || CASE WHEN last_qr > first_qr THEN '–' || said_number(last_qr) ELSE '' END
        || ' cycles' AS setting,
    scheduler, NULL::VARCHAR AS also,
    said_margin(runner_up, margin, margin_lo, margin_hi, 'relative', tied, settings > 1) AS gain,
    runner_up, margin, margin_lo, margin_hi, 'relative' AS margin_kind, tied,
    'time at ' || said_number(largest_qr) || ' cycles' AS measure,
    CASE WHEN value IS NOT NULL THEN printf('%.2f times the baseline''s', value) END AS amount,
    'least energy: ' || least_energy AS details, NULL::VARCHAR AS assumed, NULL::VARCHAR AS how_true
FROM latencies JOIN whole USING (trace, kind, algorithm, stacks)
ORDER BY place;
