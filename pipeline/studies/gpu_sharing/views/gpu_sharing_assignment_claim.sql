-- What the claims on CFMS against CSMF are judged on: the difference of their speed-ups under profile for each pair of
-- Table 3, in every member and map, and in every member over its maps, the member being the replicate.
-- setting: default or another reading (gpu_sharing_variation.reading), or the member, behind its reading where that is another
-- replicate: in a reading the member, else the map
-- mix: the pair
-- classes: compute, memory or mixed
-- compute_app: its compute-bound application; null where it is not one of each class
-- memory_app: its memory-bound application; null where it is not one of each class
-- cfms: speed-up with compute-bound applications on fast SMs [1]
-- csmf: speed-up with compute-bound applications on slow SMs [1]
-- difference: cfms - csmf [1]
CREATE VIEW gpu_sharing_assignment_claim AS
WITH both_ways AS (
    SELECT
        reading, member, map_seed, mix, classes, compute_app, memory_app,
        any_value(speedup) FILTER (assignment = 'cfms') AS cfms, any_value(speedup) FILTER (assignment = 'csmf') AS csmf
    FROM gpu_sharing_variation
    JOIN (SELECT mix, compute_app, memory_app FROM gpu_sharing_table_3) USING (mix)
    WHERE scheduler = 'profile' AND clocking = 'per_sm'
    GROUP BY ALL
)
SELECT
    CASE WHEN reading <> 'default' THEN reading || '/' ELSE '' END || member AS setting, map_seed::VARCHAR AS replicate, mix, classes, compute_app, memory_app, cfms, csmf,
    cfms - csmf AS difference
FROM both_ways
WHERE cfms IS NOT NULL AND csmf IS NOT NULL
UNION ALL
SELECT
    reading, member, mix, classes, compute_app, memory_app, avg(cfms), avg(csmf), avg(cfms - csmf)
FROM both_ways
WHERE cfms IS NOT NULL AND csmf IS NOT NULL
GROUP BY ALL;
