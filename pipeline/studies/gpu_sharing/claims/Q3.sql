/*
source: "thesis, Section 5.2, Table 4"
statement: Two QoS applications leave SMs that save 2.6 to 13 W idle and 6.9 to 22.2 W power-gated, at 100 to 85 % of the QoS.
unit: W
parts:
  100 %, idle: 2.6
  95 %, idle: 5.8
  90 %, idle: 8.8
  85 %, idle: 13
  100 %, gated: 6.9
  95 %, gated: 11.2
  90 %, gated: 15.8
  85 %, gated: 22.2
digit: 0.1
kind: value
configuration: mean over the six pairs of QoS applications, each with the fewest SMs of all allocations; the watts of a spare SM, idle and gated, were set by the 80 % row of the table, which is no part of the claim; replicates are surrogate curves with contention; settings are the watts of one spare SM more or fewer in that row
differs: The idle watts agree, the gated ones are too few. Table 4 has 2.65 times as many gated as idle watts at 100 % and 1.58 times at 80 %. We give each spare SM the watts of the 80 % row, so both columns cannot come out. How many SMs are spare depends on contention, which is not printed as a whole.
evidence: |
  SELECT 6.9 / 2.6 > 1.2 * avg(saved_w) FILTER (spare = 'gated' AND gamma > 0) / avg(idle_w) FILTER (spare = 'gated' AND gamma > 0) AS holds, 6.9 / 2.6 AS printed_gated_over_idle, 28.6 / 18.1 AS printed_at_80,
    avg(saved_w) FILTER (spare = 'gated' AND gamma > 0) / avg(idle_w) FILTER (spare = 'gated' AND gamma > 0) AS gated_over_idle,
    avg(spare_sms) FILTER (gamma > 0) AS spare_with_contention, avg(spare_sms) FILTER (gamma = 0) AS without
  FROM gpu_sharing_qos WHERE kind = 'two_qos' AND scheduler = 'profile_minimum' AND decide_by = 'measured' AND qos_level = 100
scenarios: gpu_sharing_qos WHERE kind = 'two_qos' AND scheduler = 'profile_minimum' AND decide_by = 'measured' AND spare = 'gated' AND gamma > 0 AND qos_level > 80
*/
WITH by_member AS (
    SELECT qos_level, member, avg(idle_w) AS idle_w, avg(saved_w) AS gated_w
    FROM gpu_sharing_qos
    WHERE kind = 'two_qos' AND scheduler = 'profile_minimum' AND decide_by = 'measured' AND spare = 'gated' AND gamma > 0
        AND qos_level > 80
    GROUP BY ALL
    HAVING count(*) = 6
),
-- What an SM saves, were the spare SMs of the 80 % row one more or one fewer.
watt (setting, idle, gated) AS (VALUES ('default', 2.2, 3.4), ('1.9 and 3.1 W an SM', 1.9, 3.1), ('2.5 and 3.9 W an SM', 2.5, 3.9))
SELECT setting, qos_level || ' %, ' || saving AS part, member AS replicate, watts AS value
FROM by_member CROSS JOIN watt
CROSS JOIN LATERAL (VALUES ('idle', idle_w * idle / 2.2), ('gated', gated_w * gated / 3.4)) AS said (saving, watts)
