-- Gain in throughput of Slate over MPS and CUDA for each pair (paper, Figure 7): with the documented parameters, and the range of
-- the admissible models (5th to 95th percentile, equal split).
-- pair: names of the two, as BS-RG, or mean: of the 15 pairs
-- over: mps or cuda
-- gain: throughput of Slate over that of the other, less one, with the documented parameters [1]
-- gain_median: median over the admissible models; null where there are none [1]
-- gain_lo: 5th percentile over the admissible models [1]
-- gain_hi: 95th percentile [1]
-- gain_optimal: the same of the least makespan, with the documented parameters [1]
-- printed: gain that the paper prints; null = not printed [1]
-- corun: whether Slate runs the two side by side
-- models: admissible models
CREATE VIEW fig_gpu_corun_7 AS
WITH printed(pair, "over", printed) AS (
    VALUES ('GS-RG', 'mps', 0.35), ('BS-MM', 'mps', -0.02), ('GS-GS', 'mps', 0.24), ('mean', 'mps', 0.11),
        ('mean', 'cuda', 0.18)
),
run AS (
    SELECT pair, "over", model_id, scheduler, corun, gain
    FROM (
        SELECT
            pair, model_id, scheduler, corun,
            unnest(['mps', 'cuda']) AS "over", unnest([gain_over_mps, gain_over_cuda]) AS gain
        FROM gpu_corun_result
        WHERE kind = 'pair' AND origin = 'published' AND scheduler IN ('slate', 'optimal') AND sms = 30
            AND split = 'equal' AND symmetry = 'printed' AND task_size = 10 AND NOT cached
    )
),
whole AS (
    FROM run
    UNION ALL BY NAME
    SELECT 'mean' AS pair, "over", model_id, scheduler, NULL::BOOLEAN AS corun, avg(gain) AS gain
    FROM run GROUP BY "over", model_id, scheduler
    HAVING count(*) = 15
)
SELECT
    pair, "over",
    max(gain) FILTER (model_id = 'default' AND scheduler = 'slate') AS gain,
    quantile_cont(gain, 0.5) FILTER (model_id <> 'default') AS gain_median,
    quantile_cont(gain, 0.05) FILTER (model_id <> 'default') AS gain_lo,
    quantile_cont(gain, 0.95) FILTER (model_id <> 'default') AS gain_hi,
    max(gain) FILTER (model_id = 'default' AND scheduler = 'optimal') AS gain_optimal,
    any_value(printed)::DOUBLE AS printed,
    bool_or(corun) FILTER (scheduler = 'slate') AS corun,
    count(*) FILTER (model_id <> 'default') AS models
FROM whole LEFT JOIN printed USING (pair, "over")
GROUP BY pair, "over"
ORDER BY "over" DESC, pair = 'mean', pair;
