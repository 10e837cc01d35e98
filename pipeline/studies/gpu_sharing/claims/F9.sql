/*
source: "thesis, Section 6.2, Table 6"
statement: The speed-up of each application over cooperative multitasking, of five policies in seven mixes.
unit: share of the applications of all mixes whose speed-up is the printed one to 0.015
parts: {equal_compute: always, equal_throughput: always, equal_speedup: always, max_fair_throughput: always, max_throughput: always}
kind: always
configuration: the 85 values one by one, an application of a mix being a replicate; 0.015 as for the system speed-ups (F2); straight lines (default) or PCHIP between the printed points, 0.005 or 0.03 for the 0.015. The throughputs beside them are the points that we start from, and no claim
differs: Three of the six cells that differ are of PATH and SC (F1, F2). For JPEG on 5 SMs and SHA1 on 6 beside RAY the table prints two throughputs each, and we start from one of them. JPEG on 3 SMs there (1.10 and 141) gives another cooperative throughput than its other cells.
evidence: |
  SELECT max(speedup) FILTER (policy = 'max_throughput') > 1.66 + 0.015 AS holds, max(speedup) FILTER (policy = 'max_throughput') AS jpeg_on_5_sms,
    max(speedup) FILTER (policy = 'equal_throughput') AS jpeg_on_3_sms
  FROM gpu_sharing_result JOIN outcome_gpu_sharing USING (scenario_id)
  WHERE trace = 'thesis_table_6' AND kind = 'stated' AND mix = 'JPEG+RAY+SHA1' AND slot = 0 AND interpolation = 'linear' AND NOT "dynamic"
scenarios: gpu_sharing_result WHERE kind = 'stated' AND trace = 'thesis_table_6' AND NOT "dynamic" AND sms = 16 AND gamma = 0 AND policy <> 'cooperative'
*/
WITH printed (mix, policy, speedups) AS (
    VALUES
        ('JPEG+RAY', 'equal_compute', [1.52, 1.15]),
        ('JPEG+RAY', 'equal_throughput', [1.38, 1.3]),
        ('JPEG+RAY', 'equal_speedup', [1.38, 1.3]),
        ('JPEG+RAY', 'max_fair_throughput', [1.24, 1.48]),
        ('JPEG+RAY', 'max_throughput', [1.24, 1.48]),
        ('AES+JPEG', 'equal_compute', [1, 1.52]),
        ('AES+JPEG', 'equal_throughput', [0.75, 1.69]),
        ('AES+JPEG', 'equal_speedup', [1.25, 1.27]),
        ('AES+JPEG', 'max_fair_throughput', [1.38, 1.12]),
        ('AES+JPEG', 'max_throughput', [1.88, 0.27]),
        ('ID+SHA1', 'equal_compute', [1, 1.13]),
        ('ID+SHA1', 'equal_throughput', [0.63, 1.5]),
        ('ID+SHA1', 'equal_speedup', [1.13, 1.02]),
        ('ID+SHA1', 'max_fair_throughput', [1.13, 1.02]),
        ('ID+SHA1', 'max_throughput', [1.87, 0.15]),
        ('PATH+SC', 'equal_compute', [1, 1.6]),
        ('PATH+SC', 'equal_throughput', [0.13, 1.87]),
        ('PATH+SC', 'equal_speedup', [1.4, 1.23]),
        ('PATH+SC', 'max_fair_throughput', [1.4, 1.23]),
        ('PATH+SC', 'max_throughput', [1.9, 0.26]),
        ('JPEG+RAY+SHA1', 'equal_compute', [1.68, 1.13, 1.19]),
        ('JPEG+RAY+SHA1', 'equal_throughput', [1.1, 1.13, 1.59]),
        ('JPEG+RAY+SHA1', 'equal_speedup', [1.4, 1.32, 1.22]),
        ('JPEG+RAY+SHA1', 'max_fair_throughput', [1.68, 1.32, 1]),
        ('JPEG+RAY+SHA1', 'max_throughput', [1.66, 2.12, 0.17]),
        ('AES+ID+SHA1', 'equal_compute', [0.95, 0.95, 1.26]),
        ('AES+ID+SHA1', 'equal_throughput', [0.57, 0.75, 1.82]),
        ('AES+ID+SHA1', 'equal_speedup', [0.95, 1.13, 1.05]),
        ('AES+ID+SHA1', 'max_fair_throughput', [0.95, 1.13, 1.05]),
        ('AES+ID+SHA1', 'max_throughput', [2.63, 0.19, 0.2]),
        ('RAY+RAY+ID', 'equal_compute', [1.13, 1.13, 1.13]),
        ('RAY+RAY+ID', 'equal_throughput', [1.32, 1.32, 0.75]),
        ('RAY+RAY+ID', 'equal_speedup', [1.13, 1.13, 1.13]),
        ('RAY+RAY+ID', 'max_fair_throughput', [1, 1, 1.5]),
        ('RAY+RAY+ID', 'max_throughput', [0.36, 0.36, 2.62])
),
threshold (most, named) AS (VALUES (0.015, NULL), (0.005, 'within 0.005'), (0.03, 'within 0.03')),
ours AS (
    SELECT scenario_id, row_number() OVER (PARTITION BY scenario_id ORDER BY slot) AS number, speedup
    FROM outcome_gpu_sharing
    WHERE scenario_id IN (SELECT scenario_id FROM gpu_sharing_result WHERE trace = 'thesis_table_6')
)
SELECT
    coalesce(named, CASE interpolation WHEN 'linear' THEN 'default' ELSE interpolation END) AS setting, policy AS part,
    format('{} {}', mix, number) AS replicate, abs(speedup - speedups[number]) <= most AS value
FROM printed
JOIN gpu_sharing_result USING (mix, policy)
JOIN ours USING (scenario_id)
CROSS JOIN threshold
WHERE (named IS NULL OR interpolation = 'linear') AND kind = 'stated' AND trace = 'thesis_table_6' AND NOT "dynamic" AND sms = 16 AND gamma = 0
