-- Speed-ups of pairs over cooperative multitasking at the global clock (thesis, Figure 7): geometric means over the pairs
-- that a compute-bound application makes with the five memory-bound ones, over the pairs of one class in Table 3, all
-- pairs of both classes, and all 25 pairs.
-- pairs: AES-E, ID, RAY, SAD (each beside memory-bound ones), one class, both classes, all
-- scheduler: even_split or profile
-- clocking: global, or per_sm with CFMS
-- speedup: geometric mean over pairs, maps and members; for equal work [1]
-- speedup_least: least mean of a member [1]
-- speedup_most: largest mean of a member [1]
-- printed: in Section 4.2.2; null where it is only drawn [1]
-- members: sets of surrogate curves [1]
CREATE VIEW fig_gpu_sharing_7 AS
WITH ran AS (
    SELECT member, mix, scheduler, clocking, ln(speedup) AS speedup, compute_app
    FROM gpu_sharing_variation JOIN (SELECT mix, compute_app FROM gpu_sharing_table_3) USING (mix)
    WHERE reading = 'default' AND (clocking = 'global' OR assignment = 'cfms')
),
grouped AS (
    SELECT coalesce(compute_app, 'one class') AS pairs, * FROM ran
    UNION ALL
    SELECT 'both classes', * FROM ran WHERE compute_app IS NOT NULL
    UNION ALL
    SELECT 'all', * FROM ran
),
by_member AS (
    SELECT pairs, scheduler, clocking, member, avg(speedup) AS speedup FROM grouped GROUP BY ALL
)
SELECT
    pairs, scheduler, clocking,
    exp(avg(speedup)) AS speedup, exp(min(speedup)) AS speedup_least, exp(max(speedup)) AS speedup_most,
    CASE
        WHEN clocking = 'global' THEN NULL
        WHEN pairs = 'both classes' THEN CASE scheduler WHEN 'profile' THEN 1.46 ELSE 1.36 END
        WHEN pairs = 'all' THEN CASE scheduler WHEN 'profile' THEN 1.41 ELSE 1.33 END
    END::DOUBLE AS printed,
    count(*) AS members
FROM by_member
GROUP BY ALL
ORDER BY pairs, scheduler, clocking;
