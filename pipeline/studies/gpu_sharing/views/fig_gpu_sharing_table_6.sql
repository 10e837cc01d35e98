-- Table 6 of the thesis, cell by cell: the split that a policy chooses on the printed points beside the printed split.
-- mix: applications of the mix, joined by +
-- policy: policy
-- interpolation: between the printed points: linear or pchip
-- printed_split: SMs of each application as printed [1]
-- split: ours [1]
-- same_split: whether they agree
-- printed_speedup: system speed-up over cooperative multitasking as printed [1]
-- system_speedup: ours [1]
-- difference: ours minus the printed one [1]
CREATE VIEW fig_gpu_sharing_table_6 AS
WITH printed (mix, policy, printed_split, printed_speedup) AS (
    VALUES
        ('JPEG+RAY', 'equal_compute', [8, 8], 1.33),
        ('JPEG+RAY', 'equal_throughput', [7, 9], 1.34),
        ('JPEG+RAY', 'equal_speedup', [7, 9], 1.34),
        ('JPEG+RAY', 'max_fair_throughput', [6, 10], 1.36),
        ('JPEG+RAY', 'max_throughput', [6, 10], 1.36),
        ('AES+JPEG', 'equal_compute', [8, 8], 1.16),
        ('AES+JPEG', 'equal_throughput', [6, 10], 1.03),
        ('AES+JPEG', 'equal_speedup', [10, 6], 1.26),
        ('AES+JPEG', 'max_fair_throughput', [11, 5], 1.31),
        ('AES+JPEG', 'max_throughput', [15, 1], 1.4),
        ('ID+SHA1', 'equal_compute', [8, 8], 1.04),
        ('ID+SHA1', 'equal_throughput', [5, 11], 0.87),
        ('ID+SHA1', 'equal_speedup', [9, 7], 1.09),
        ('ID+SHA1', 'max_fair_throughput', [9, 7], 1.09),
        ('ID+SHA1', 'max_throughput', [15, 1], 1.4),
        ('PATH+SC', 'equal_compute', [8, 8], 1.1),
        ('PATH+SC', 'equal_throughput', [1, 15], 0.23),
        ('PATH+SC', 'equal_speedup', [11, 5], 1.37),
        ('PATH+SC', 'max_fair_throughput', [11, 5], 1.37),
        ('PATH+SC', 'max_throughput', [15, 1], 1.8),
        ('JPEG+RAY+SHA1', 'equal_compute', [5, 5, 6], 1.34),
        ('JPEG+RAY+SHA1', 'equal_throughput', [3, 5, 8], 1.24),
        ('JPEG+RAY+SHA1', 'equal_speedup', [4, 6, 6], 1.32),
        ('JPEG+RAY+SHA1', 'max_fair_throughput', [5, 6, 5], 1.36),
        ('JPEG+RAY+SHA1', 'max_throughput', [5, 10, 1], 1.43),
        ('AES+ID+SHA1', 'equal_compute', [5, 5, 6], 1),
        ('AES+ID+SHA1', 'equal_throughput', [3, 4, 9], 0.82),
        ('AES+ID+SHA1', 'equal_speedup', [5, 6, 5], 1.04),
        ('AES+ID+SHA1', 'max_fair_throughput', [5, 6, 5], 1.04),
        ('AES+ID+SHA1', 'max_throughput', [14, 1, 1], 1.32),
        ('RAY+RAY+ID', 'equal_compute', [5, 5, 6], 1.13),
        ('RAY+RAY+ID', 'equal_throughput', [6, 6, 4], 1.05),
        ('RAY+RAY+ID', 'equal_speedup', [5, 5, 6], 1.13),
        ('RAY+RAY+ID', 'max_fair_throughput', [4, 4, 8], 1.24),
        ('RAY+RAY+ID', 'max_throughput', [1, 1, 14], 1.44)
)
SELECT
    mix, policy, interpolation, printed_split, split, split = printed_split AS same_split,
    printed_speedup::DOUBLE AS printed_speedup, system_speedup, system_speedup - printed_speedup AS difference
FROM printed
JOIN gpu_sharing_result USING (mix, policy)
WHERE kind = 'stated' AND trace = 'thesis_table_6' AND NOT "dynamic" AND sms = 16 AND gamma = 0
ORDER BY interpolation, mix, policy;
