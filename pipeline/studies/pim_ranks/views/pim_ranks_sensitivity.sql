-- What PIM-CARE's own parameters are worth, each varied alone, beside its defaults on the same jobs, tables and ranks: sets of 24
-- jobs with admissible tables, all queued at once. Ratios are geometric means over sets, tables and batches; intervals are of
-- the mean over batches (Student's t on the logarithms).
-- parameter: profiling_ratio, threshold (THOpt) or window
-- value: value of it; null = all times are known, and best_ranks is that of Table 2
-- is_paper: whether it is the paper's: 0.2, 0.95, 6
-- batches: independent batches [1]
-- throughput: throughput over that of the defaults [1]
-- throughput_lo: lower end of its 95 % interval [1]
-- throughput_hi: upper end of its 95 % interval [1]
-- att: average turnaround time of the defaults over this one [1]
-- att_lo: lower end of its 95 % interval [1]
-- att_hi: upper end of its 95 % interval [1]
-- profiling_share: time of the profile runs over the makespan: the mean [1]
CREATE VIEW pim_ranks_sensitivity AS
WITH care AS (
    SELECT * FROM pim_ranks_result
    WHERE scheduler = 'pim_care' AND kind = 'sets' AND origin = 'synthetic' AND arrival = 'queued' AND perf_at = 'leftover'
        AND evidence = 'measured_shapes'
),
varied AS (
    SELECT 'profiling_ratio' AS parameter, profiling_ratio AS value, * FROM care WHERE threshold IS NULL AND "window" = 6
    UNION ALL
    SELECT 'threshold', threshold, * FROM care WHERE profiling_ratio IS NULL AND "window" = 6
    UNION ALL
    SELECT 'window', "window", * FROM care WHERE profiling_ratio IS NULL AND threshold IS NULL
),
tried AS (
    -- The jobs that were replayed with every value.
    SELECT workload, batch, table_id, ranks, parameter FROM varied GROUP BY ALL HAVING count(*) > 1
),
of_batch AS (
    SELECT
        parameter, value, batch, avg(ln(varied.throughput_per_s / care.throughput_per_s)) AS throughput,
        avg(ln(care.att_s / varied.att_s)) AS att, avg(coalesce(varied.profiling_s, 0) / varied.makespan_s) AS profiling_share
    FROM varied SEMI JOIN tried USING (workload, batch, table_id, ranks, parameter)
    JOIN (FROM care WHERE is_default) AS care USING (workload, batch, table_id, ranks)
    GROUP BY ALL
),
mean AS (
    SELECT
        parameter, value, count(*) AS batches, avg(throughput) AS throughput,
        stddev_samp(throughput) / sqrt(count(*)) AS throughput_error, avg(att) AS att,
        stddev_samp(att) / sqrt(count(*)) AS att_error, avg(profiling_share) AS profiling_share
    FROM of_batch
    GROUP BY ALL
)
SELECT
    parameter, value,
    coalesce(value = CASE parameter WHEN 'profiling_ratio' THEN 0.2 WHEN 'threshold' THEN 0.95 ELSE 6 END, false) AS is_paper,
    batches,
    exp(throughput) AS throughput,
    exp(throughput - t * throughput_error) AS throughput_lo,
    exp(throughput + t * throughput_error) AS throughput_hi,
    exp(att) AS att,
    exp(att - t * att_error) AS att_lo,
    exp(att + t * att_error) AS att_hi,
    profiling_share
FROM mean LEFT JOIN student_t ON replicates = batches
ORDER BY parameter, value NULLS FIRST;
