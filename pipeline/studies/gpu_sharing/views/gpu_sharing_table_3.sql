-- Table 3 of the thesis as printed: speed-ups of pairs over cooperative multitasking at the global clock, per-SM clocks,
-- Profile.
-- mix: the pair, as in workload_gpu_sharing
-- compute_app: its compute-bound application; null where it is not one of each class
-- memory_app: its memory-bound application; null where it is not one of each class
-- csmf: compute-bound application on slow SMs [1]
-- cfms: compute-bound application on fast SMs [1]
CREATE VIEW gpu_sharing_table_3 AS
WITH printed(first_app, second_app, csmf, cfms) AS (
    VALUES
        ('AES-E', 'JPEG-D', 1.34, 1.38), ('AES-E', 'NN', 1.82, 1.98), ('AES-E', 'BPR', 1.57, 1.60),
        ('AES-E', 'DVC', 1.39, 1.40), ('AES-E', 'SHA1', 1.28, 1.35), ('SAD', 'JPEG-D', 1.32, 1.34),
        ('SAD', 'NN', 1.32, 1.45), ('SAD', 'BPR', 1.30, 1.35), ('SAD', 'DVC', 1.31, 1.33), ('SAD', 'SHA1', 1.08, 1.13),
        ('ID', 'JPEG-D', 1.36, 1.42), ('ID', 'NN', 1.70, 1.86), ('ID', 'BPR', 1.51, 1.58), ('ID', 'DVC', 1.44, 1.48),
        ('ID', 'SHA1', 1.30, 1.38), ('RAY', 'JPEG-D', 1.29, 1.33), ('RAY', 'NN', 1.56, 1.67), ('RAY', 'BPR', 1.48, 1.52),
        ('RAY', 'DVC', 1.40, 1.42), ('RAY', 'SHA1', 1.19, 1.24), ('BPR', 'NN', 1.12, 1.13), ('AES-E', 'ID', 1.24, 1.24),
        ('JPEG-D', 'DVC', 1.36, 1.36), ('RAY', 'SAD', 1.27, 1.27), ('DVC', 'SHA1', 1.17, 1.18)
),
classified AS (
    SELECT
        *,
        first_app IN ('AES-E', 'ID', 'RAY', 'SAD') AND second_app NOT IN ('AES-E', 'ID', 'RAY', 'SAD') AS mixed
    FROM printed
)
SELECT
    first_app || '+' || second_app AS mix,
    CASE WHEN mixed THEN first_app END AS compute_app,
    CASE WHEN mixed THEN second_app END AS memory_app,
    csmf::DOUBLE AS csmf, cfms::DOUBLE AS cfms
FROM classified;
