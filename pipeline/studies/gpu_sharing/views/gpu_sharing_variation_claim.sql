-- What the claims on process variation are judged on: geometric means over combinations of applications, in every member
-- and map, and in every member over its maps, the member being the replicate, as setting 'default' or what is read otherwise.
-- setting: default or another reading (gpu_sharing_variation.reading), or the member, behind its reading where that is another
-- replicate: in a reading the member, else the map
-- combinations: mixed (20 pairs of both classes), table_3 (its 25 pairs) or three (70 of both classes)
-- scheduler: scheduler
-- assignment: cfms or csmf
-- speedup: over cooperative multitasking at the global clock, for equal work [1]
-- over_global: over the same split at the global clock [1]
-- least_profile_gain: least difference of speed-ups over the combinations, to that of even_split [1]
CREATE VIEW gpu_sharing_variation_claim AS
WITH combined AS (
    SELECT 'mixed' AS combinations, 20 AS needed, * FROM gpu_sharing_variation WHERE applications = 2 AND classes = 'mixed'
    UNION ALL
    SELECT 'table_3', 25, * FROM gpu_sharing_variation WHERE mix IN (SELECT mix FROM gpu_sharing_table_3)
    UNION ALL
    SELECT 'three', 70, * FROM gpu_sharing_variation WHERE applications = 3 AND classes = 'mixed'
),
paired AS (
    SELECT combined.*, combined.speedup - even.speedup AS profile_gain
    FROM combined
    LEFT JOIN gpu_sharing_variation AS even
        ON even.member = combined.member AND even.map_seed = combined.map_seed
        AND even.reading = combined.reading AND even.mix = combined.mix
        AND even.assignment = combined.assignment AND even.scheduler = 'even_split'
    WHERE combined.clocking = 'per_sm'
),
replicated AS (
    SELECT
        reading, member, map_seed::VARCHAR AS replicate, combinations, scheduler, assignment, avg(ln(speedup)) AS speedup,
        avg(ln(over_global)) AS over_global, min(profile_gain) AS least_profile_gain
    FROM paired
    GROUP BY reading, member, map_seed, combinations, scheduler, assignment, needed
    HAVING count(*) = needed
)
SELECT
    CASE WHEN reading <> 'default' THEN reading || '/' ELSE '' END || member AS setting, replicate, combinations, scheduler, assignment, exp(speedup) AS speedup, exp(over_global) AS over_global,
    least_profile_gain
FROM replicated
UNION ALL
SELECT
    reading, member, combinations, scheduler, assignment, exp(avg(speedup)), exp(avg(over_global)),
    avg(least_profile_gain)
FROM replicated
GROUP BY reading, member, combinations, scheduler, assignment;
