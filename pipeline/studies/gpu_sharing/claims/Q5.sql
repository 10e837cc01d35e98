/*
source: "thesis, Section 5.2, Figure 9"
statement: SHA1 and JPEG-D together leave 11 of 30 SMs.
unit: SMs
paper_value: 11
digit: 1
kind: value
configuration: fewest SMs of all allocations at 100 % of the QoS, of which the section speaks before (it prints no level with this number); what SHA1 (4 of 15) and AES-D (none) leave alone is put into the surrogate curves and no part; replicates are surrogate curves; settings are the other levels, and leave contention out
differs: The level that is meant is not printed. At 100 % of the QoS the two leave about one SM, and fewer than 11 at 80 %, too. 11 spare SMs contradict Figures 11 and 12 of the thesis, where SHA1 alone needs 9 and JPEG-D alone 11 of the 30, which leaves 10.
evidence: |
  SELECT avg(30 - qos_sms) FILTER (qos_level = 100) < 11 AS holds, avg(30 - qos_sms) FILTER (qos_level = 100) AS left_at_100, avg(30 - qos_sms) FILTER (qos_level = 90) AS left_at_90,
    avg(30 - qos_sms) FILTER (qos_level = 80) AS left_at_80
  FROM gpu_sharing_qos WHERE mix = 'JPEG-D+SHA1' AND scheduler = 'profile_minimum' AND decide_by = 'measured' AND gamma > 0
scenarios: gpu_sharing_qos WHERE mix = 'JPEG-D+SHA1' AND scheduler = 'profile_minimum' AND decide_by = 'measured'
*/
SELECT DISTINCT
    CASE WHEN gamma = 0 THEN 'without contention' WHEN qos_level = 100 THEN 'default' ELSE qos_level || ' %' END AS setting,
    member AS replicate, 30 - qos_sms AS value
FROM gpu_sharing_qos
WHERE mix = 'JPEG-D+SHA1' AND scheduler = 'profile_minimum' AND decide_by = 'measured' AND (gamma > 0 OR qos_level = 100)
