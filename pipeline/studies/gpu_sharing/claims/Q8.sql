/*
source: "thesis, Section 5.5"
statement: Spatial multitasking with QoS applications saves 7 W or raises the throughput of best-effort applications by 17.57 %.
headline: sharing under QoS saves 7 W, or speeds up the other applications by 17.57 %
unit: W; share
parts: {power saved (W): 7, gain of best-effort throughput: 0.1757}
digit: 0.0001
kind: value
configuration: 100 % of the QoS; power-gated spare SMs, mean over the six pairs of QoS applications (watts an SM fitted to the 80 % row of Table 4), and geometric mean of the gain over 15 pairs of a QoS and a best-effort application, each with the fewest SMs of all allocations; replicates are surrogate curves with contention; settings are the other levels, and the watts of one spare SM more or fewer in that row
differs: It depends on contention, and what presses on a QoS application is not printed. With the contention assumed fewer SMs are spare, fewer watts are saved and less is gained.
evidence: |
  SELECT avg(spare_sms) FILTER (gamma = 0) > avg(spare_sms) FILTER (gamma > 0) AS holds, avg(spare_sms) FILTER (gamma > 0) AS spare_with_contention, avg(spare_sms) FILTER (gamma = 0) AS without
  FROM gpu_sharing_qos WHERE kind = 'two_qos' AND scheduler = 'profile_minimum' AND decide_by = 'measured' AND qos_level = 100
scenarios: gpu_sharing_qos WHERE scheduler = 'profile_minimum' AND decide_by = 'measured' AND gamma > 0 AND (kind = 'two_qos' AND spare = 'gated' OR kind = 'qos_best_effort')
*/
-- What an SM saves, were the spare SMs of the 80 % row of Table 4 one more or one fewer.
WITH watt (gated, named) AS (VALUES (3.4, NULL), (3.1, '3.1 W an SM'), (3.9, '3.9 W an SM')),
run AS (
    SELECT
        coalesce(named, CASE qos_level WHEN 100 THEN 'default' ELSE qos_level || ' %' END) AS setting, kind, spare,
        member, saved_w * gated / 3.4 AS saved_w, best_effort_gain
    FROM gpu_sharing_qos CROSS JOIN watt
    WHERE scheduler = 'profile_minimum' AND decide_by = 'measured' AND gamma > 0 AND (named IS NULL OR qos_level = 100)
)
SELECT setting, 'power saved (W)' AS part, member AS replicate, avg(saved_w) AS value
FROM run
WHERE kind = 'two_qos' AND spare = 'gated'
GROUP BY setting, member
HAVING count(*) = 6
UNION ALL
SELECT setting, 'gain of best-effort throughput', member, exp(avg(ln(best_effort_gain))) - 1
FROM run
WHERE kind = 'qos_best_effort'
GROUP BY setting, member
HAVING count(*) = 15
