-- Speed-ups of three applications over cooperative multitasking at the global clock (thesis, Figure 8): the 70 combinations
-- of both classes among nine applications, and their geometric mean.
-- mix: applications, joined by +; all: the geometric mean over the combinations
-- scheduler: even_split or profile
-- clocking: global, or per_sm with CFMS
-- speedup: geometric mean over maps and members; for equal work [1]
-- speedup_least: least mean of a member [1]
-- speedup_most: largest mean of a member [1]
-- printed: in Section 4.2.3; null where it is only drawn [1]
-- members: sets of surrogate curves [1]
CREATE VIEW fig_gpu_sharing_8 AS
WITH by_member AS (
    SELECT coalesce(mix, 'all') AS mix, scheduler, clocking, member, avg(ln(speedup)) AS speedup
    FROM gpu_sharing_variation
    WHERE reading = 'default' AND applications = 3 AND classes = 'mixed' AND (clocking = 'global' OR assignment = 'cfms')
    GROUP BY GROUPING SETS ((mix, scheduler, clocking, member), (scheduler, clocking, member))
)
SELECT
    mix, scheduler, clocking,
    exp(avg(speedup)) AS speedup, exp(min(speedup)) AS speedup_least, exp(max(speedup)) AS speedup_most,
    CASE WHEN mix = 'all' AND clocking = 'per_sm' THEN CASE scheduler WHEN 'profile' THEN 1.43 ELSE 1.42 END END::DOUBLE
        AS printed,
    count(*) AS members
FROM by_member
GROUP BY ALL
ORDER BY mix, scheduler, clocking;
