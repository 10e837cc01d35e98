-- Rates of the pair BS-RG (paper, Table IV): with the documented parameters, and the range of the admissible models (5th to 95th
-- percentile, equal split). The paper counts accesses as they happen, of which Slate makes 9 % fewer; here a kernel makes as many
-- as alone, so that its rate grows as its time shrinks.
-- scheduler: mps or slate
-- gflops: single-precision operations of both over the time of the kernels [GFLOP/s]
-- memory_gbps: memory that both read and write, over that time [GB/s]
-- memory_gbps_lo: 5th percentile over the admissible models; null where there are none [GB/s]
-- memory_gbps_hi: 95th percentile [GB/s]
-- printed_gbps: what the paper prints [GB/s]
CREATE VIEW table_gpu_corun_4 AS
SELECT
    scheduler,
    any_value(gflops) FILTER (machine IS NULL) AS gflops,
    any_value(memory_gbps) FILTER (machine IS NULL) AS memory_gbps,
    quantile_cont(memory_gbps, 0.05) FILTER (machine IS NOT NULL) AS memory_gbps_lo,
    quantile_cont(memory_gbps, 0.95) FILTER (machine IS NOT NULL) AS memory_gbps_hi,
    CASE scheduler WHEN 'mps' THEN 241 ELSE 250 END AS printed_gbps
FROM gpu_corun_result
WHERE pair = 'BS-RG' AND kind = 'pair' AND origin = 'published' AND sms = 30 AND is_default AND scheduler IN ('mps', 'slate')
GROUP BY scheduler
ORDER BY scheduler;
