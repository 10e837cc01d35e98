-- Speed against ranks of each application (paper, Figure 2): of the admissible tables, median and range; of each trace, its
-- own table.
-- source: measured_shapes, or the trace
-- app: application
-- app_group: 1 (BS, GEMV, MLP, TS) or 2 (Table 2); null = not in Table 2
-- ranks: ranks [1]
-- speed: speed as a share of the largest of the table; of admissible tables the median [1]
-- speed_least: least among the admissible tables; of a trace the same as speed [1]
-- speed_most: largest among the admissible tables; of a trace the same as speed [1]
-- is_best: whether this is the best number of ranks; of admissible tables that of Table 2, null where it is not replayed
-- known: drawn (agrees with Table 2, nothing else is known), measured, interpolated or extrapolated
-- tables: tables behind the row [1]
CREATE VIEW fig_pim_ranks_2 AS
WITH drawn AS (
    SELECT
        split_part(table_id, '/', 1) AS source, app, ranks, min(time_s) OVER (PARTITION BY table_id, app) / time_s AS speed
    FROM perf_table_pim_ranks
    WHERE regexp_full_match(table_id, 'measured_shapes/[0-9]+')
),
best(app, app_group, best_ranks) AS (
    VALUES
        ('BS', 1, 11), ('GEMV', 1, 6), ('MLP', 1, 21), ('TS', 1, 16),
        ('BFS', 2, 1), ('HST-L', 2, 6), ('HST-S', 2, 1), ('RED', 2, 1), ('SCAN-RSS', 2, 1), ('SCAN-SSA', 2, 1),
        ('SEL', 2, 1), ('SpMV', 2, 1), ('UNI', 2, 1), ('VA', 2, 1)
),
curve AS (
    SELECT
        source, app, ranks, median(speed) AS speed, min(speed) AS speed_least, max(speed) AS speed_most,
        NULL AS is_best, 'drawn' AS known, count(*) AS tables
    FROM drawn
    GROUP BY ALL
    UNION ALL
    SELECT trace, app, ranks, perf, perf, perf, is_best, source, 1 FROM perf_table WHERE chosen
)
SELECT
    source, curve.app, app_group, ranks, speed, speed_least, speed_most,
    CASE WHEN known = 'drawn' THEN ranks = best_ranks ELSE is_best END AS is_best,
    known, tables
FROM curve LEFT JOIN best USING (app)
ORDER BY source, app_group, app, ranks;
