-- Intensity classes of profiled kernels and applications by Slate's thresholds (IPDPS 2019, Section III-B; those of the
-- trace's replays, or the defaults): what Table I looks at. Rates that are not known leave a class open.
-- trace: trace
-- origin: measured on a machine, or generated
-- app: application; null where it is not known
-- kernel: kernel; null = the application as a whole, by its mean rates
-- time_s: time of all launches [s]
-- gflops: floating-point rate while it runs [GFLOP/s]
-- memory_gbps: global load and store rate while it runs [GB/s]
-- compute: compute intensity: L, M or H
-- memory: memory intensity: L, M or H
-- class: row of Table I: L_M/L_C, L_M/M_C, L_M/H_C, M_M or H_M
CREATE VIEW gpu_kernel_intensity AS
WITH rated AS (
    SELECT trace, app, kernel, time_s, gflops, memory_gbps FROM kernel
    UNION ALL
    SELECT trace, app, NULL, kernel_s, gflops, memory_gbps FROM gpu_app
),
replayed AS (
    SELECT
        model_id AS trace, arg_min(medium_gflops, scenario_id) AS medium_gflops,
        arg_min(high_gflops, scenario_id) AS high_gflops, arg_min(medium_memory_gbps, scenario_id) AS medium_memory_gbps,
        arg_min(high_memory_gbps, scenario_id) AS high_memory_gbps
    FROM scenario
    WHERE study = 'gpu_corun'
    GROUP BY model_id
),
threshold AS (
    SELECT
        trace,
        coalesce(medium_gflops, 56 * peak_gflops / 12150) AS medium_gflops,
        coalesce(high_gflops, 496 * peak_gflops / 12150) AS high_gflops,
        coalesce(medium_memory_gbps, 182 * bandwidth_gbps / 547.6) AS medium_memory_gbps,
        coalesce(high_memory_gbps, 492 * bandwidth_gbps / 547.6) AS high_memory_gbps
    FROM replayed FULL JOIN gpu USING (trace)
),
graded AS (
    SELECT
        rated.*,
        CASE
            WHEN gflops >= coalesce(high_gflops, 496) THEN 'H'
            WHEN gflops >= coalesce(medium_gflops, 56) THEN 'M'
            WHEN gflops IS NOT NULL THEN 'L'
        END AS compute,
        CASE
            WHEN memory_gbps >= coalesce(high_memory_gbps, 492) THEN 'H'
            WHEN memory_gbps >= coalesce(medium_memory_gbps, 182) THEN 'M'
            WHEN memory_gbps IS NOT NULL THEN 'L'
        END AS memory
    FROM rated LEFT JOIN threshold USING (trace)
)
SELECT
    trace, trace.kind AS origin, app, kernel, time_s, gflops, memory_gbps, compute, memory,
    CASE WHEN memory IN ('M', 'H') THEN memory || '_M' ELSE 'L_M/' || compute || '_C' END AS class
FROM graded JOIN trace USING (trace)
ORDER BY trace, app, kernel NULLS FIRST;
