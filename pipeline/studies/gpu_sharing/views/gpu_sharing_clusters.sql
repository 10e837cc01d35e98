-- Clusters of neighbouring SMs that share one clock, that of their slowest (thesis, Section 2.3): speed-ups of the pairs of
-- Table 3 over the same split at the global clock, for equal work, with CFMS.
-- scheduler: even_split or profile
-- cluster_sms: SMs that share a clock; 1 = each has its own [1]
-- member: set of surrogate curves
-- over_global: geometric mean over the pairs and maps [1]
-- mean_clock: mean frequency of the SMs, the slowest being 1 [1]
-- maps: maps of SM frequencies [1]
CREATE VIEW gpu_sharing_clusters AS
WITH measures AS (
    PIVOT (SELECT * FROM metric) ON metric IN ('equal_work_speedup', 'mean_clock') USING first(value) GROUP BY scenario_id
),
ran AS (
    SELECT scenario.*, curve_set, equal_work_speedup AS speedup, mean_clock
    FROM scenario
    JOIN workload_gpu_sharing USING (workload_id)
    JOIN measures USING (scenario_id)
    WHERE
        study = 'gpu_sharing' AND kind = 'variation' AND member IS NOT NULL
        AND mix IN (SELECT mix FROM gpu_sharing_table_3)
),
clustered AS (
    SELECT * FROM ran
    WHERE
        clocking = 'per_sm' AND assignment = 'cfms' AND controllers = 'shared' AND threshold_v = 0.42
        AND voltage_exponent = 1.3
        AND (curve_set, map_seed) IN (SELECT (curve_set, map_seed) FROM ran WHERE cluster_sms > 1 AND clocking = 'per_sm')
)
SELECT
    scheduler, clustered.cluster_sms, clustered.curve_set AS member,
    exp(avg(ln(clustered.speedup / at_one_clock.speedup))) AS over_global, avg(clustered.mean_clock) AS mean_clock,
    count(DISTINCT clustered.map_seed) AS maps
FROM clustered
JOIN (FROM ran WHERE clocking = 'global') AS at_one_clock USING (mix_id, scheduler)
GROUP BY ALL
ORDER BY ALL;
