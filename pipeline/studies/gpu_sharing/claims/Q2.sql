/*
source: "thesis, Section 5.2, Figure 10"
statement: Beside SHA1 at 100 % of its QoS the throughput of Fractals, ID and RAY rises by at least 20 % over cooperative multitasking.
unit: yes/no
parts: {Fractals: yes, ID: yes, RAY: yes}
kind: yes_no
ensemble: true
configuration: two applications on 30 SMs, the best-effort one on what the fewest SMs for SHA1 leave; replicates are surrogate curves with contention; settings leave contention out, or let the dynamic algorithm (mid-point, half of the SMs at the start) find SHA1's SMs
differs: It depends on contention, which the thesis prints for QoS applications beside their worst partner only. Without contention SHA1 leaves enough SMs for the printed gain in every case, with the contention assumed in about half of them.
evidence: |
  SELECT avg((best_effort_gain >= 1.2)::INT) FILTER (gamma = 0) > avg((best_effort_gain >= 1.2)::INT) FILTER (gamma > 0) AS holds,
    avg((best_effort_gain >= 1.2)::INT) FILTER (gamma = 0) AS members_without_contention, avg((best_effort_gain >= 1.2)::INT) FILTER (gamma > 0) AS members_with_it,
    avg(qos_sms) FILTER (gamma = 0) AS sms_of_sha1_without, avg(qos_sms) FILTER (gamma > 0) AS sms_of_sha1_with
  FROM gpu_sharing_qos
  WHERE qos_apps = 'SHA1' AND best_effort_app IN ('Fractals', 'ID', 'RAY') AND qos_level = 100 AND scheduler = 'profile_minimum' AND decide_by = 'measured'
scenarios: gpu_sharing_qos WHERE qos_apps = 'SHA1' AND best_effort_app IN ('Fractals', 'ID', 'RAY') AND qos_level = 100 AND (scheduler = 'profile_minimum' AND decide_by = 'measured' OR scheduler = 'dynamic_linear' AND midpoint AND start = 'half' AND gamma > 0)
*/
SELECT
    CASE
        WHEN scheduler = 'dynamic_linear' THEN 'dynamic'
        WHEN gamma = 0 THEN 'without contention'
        ELSE 'default'
    END AS setting,
    best_effort_app AS part, member AS replicate, best_effort_gain >= 1.2 AS value
FROM gpu_sharing_qos
WHERE qos_apps = 'SHA1' AND best_effort_app IN ('Fractals', 'ID', 'RAY') AND qos_level = 100
    AND (
        (scheduler = 'profile_minimum' AND decide_by = 'measured')
        OR (scheduler = 'dynamic_linear' AND midpoint AND start = 'half' AND gamma > 0)
    )
