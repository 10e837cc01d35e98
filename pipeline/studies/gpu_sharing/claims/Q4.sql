/*
source: "thesis, Section 5.4, Figure 12"
statement: All QoS applications converge to the fewest SMs that satisfy their QoS.
unit: yes/no
parts: {one QoS application: always, two QoS applications: always, beside a best-effort one: always}
kind: always
ensemble: true
configuration: the SMs of QoS applications at the end are as few as the fewest of all allocations that meet the targets, and the targets are met; 80 % of the QoS, mid-point, half of the SMs at the start; a replicate is a member of the surrogate curves with contention, on which each mix of applications has to (3 alone, 6 pairs of QoS applications, 15 with a best-effort one); settings are the other levels and, at 80 %, the algorithm without the mid-point
differs: In a few mixes it ends one or two SMs above the fewest, with the mid-point and without. The line through the origin is pessimistic. Near the fewest it may ask for the size that an application already has.
evidence: |
  SELECT min((qos_sms > least_sms)::INT) FILTER (midpoint) = 0 AND max(qos_sms - least_sms) BETWEEN 1 AND 2 AND count(*) FILTER (qos_sms > least_sms AND NOT midpoint) > 0 AS holds,
    avg((qos_sms > least_sms)::INT) FILTER (midpoint) AS ends_above_the_fewest, avg((qos_sms > least_sms)::INT) FILTER (NOT midpoint) AS without_mid_point,
    max(qos_sms - least_sms) AS most_above, avg((qos_met < 1)::INT) AS ends_below_the_target
  FROM gpu_sharing_qos WHERE scheduler = 'dynamic_linear' AND start = 'half' AND gamma > 0 AND qos_level = 80
scenarios: gpu_sharing_qos WHERE scheduler = 'dynamic_linear' AND start = 'half' AND gamma > 0 AND (midpoint OR qos_level = 80)
*/
SELECT
    CASE
        WHEN NOT midpoint THEN 'without mid-point'
        WHEN qos_level = 80 THEN 'default'
        ELSE qos_level || ' %'
    END AS setting,
    CASE kind
        WHEN 'one_qos' THEN 'one QoS application'
        WHEN 'two_qos' THEN 'two QoS applications'
        ELSE 'beside a best-effort one'
    END AS part,
    member AS replicate, bool_and(coalesce(qos_met = 1 AND qos_sms = least_sms, false)) AS value
FROM gpu_sharing_qos
WHERE scheduler = 'dynamic_linear' AND start = 'half' AND gamma > 0 AND (midpoint OR qos_level = 80)
GROUP BY ALL
