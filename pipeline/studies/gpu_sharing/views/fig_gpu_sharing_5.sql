-- Speed-ups of each pair over cooperative multitasking at the global clock (thesis, Figures 5 and 6, which print no
-- numbers): the pairs of Table 3, those of both classes and the five of one class.
-- pairs: compute-bound application of the pair; one class where it is not one of each
-- mix: the pair
-- beside: its memory-bound application; of a pair of one class both
-- scheduler: even_split or profile
-- clocking: global, or per_sm with CFMS
-- speedup: geometric mean over maps and members; for equal work [1]
-- speedup_least: least mean of a member [1]
-- speedup_most: largest mean of a member [1]
-- members: sets of surrogate curves [1]
CREATE VIEW fig_gpu_sharing_5 AS
WITH by_member AS (
    SELECT
        coalesce(compute_app, 'one class') AS pairs, mix, coalesce(memory_app, mix) AS beside, scheduler, clocking,
        member, avg(ln(speedup)) AS speedup
    FROM gpu_sharing_variation
    JOIN (SELECT mix, compute_app, memory_app FROM gpu_sharing_table_3) USING (mix)
    WHERE reading = 'default' AND (clocking = 'global' OR assignment = 'cfms')
    GROUP BY ALL
)
SELECT
    pairs, mix, beside, scheduler, clocking,
    exp(avg(speedup)) AS speedup, exp(min(speedup)) AS speedup_least, exp(max(speedup)) AS speedup_most,
    count(*) AS members
FROM by_member
GROUP BY ALL
ORDER BY pairs, mix, scheduler, clocking;
