/*
source: "thesis, Section 5.4, Figure 12"
statement: AES-D converges to 12 SMs and JPEG-D to 11, two copies of JPEG-D to 12 each at 80 % of the QoS.
unit: SMs
parts: {AES-D: 12, JPEG-D: 11, each of two JPEG-D: 12}
digit: 1
kind: value
configuration: mid-point, half of the SMs at the start, 80 % of the QoS; replicates are surrogate curves, kept because 12 SMs are the fewest for AES-D and 11 for JPEG-D, so that the first two parts hold where the algorithm converges; settings leave the mid-point out, or take the fewest SMs of all allocations
scenarios: gpu_sharing_qos WHERE mix IN ('AES-D', 'JPEG-D', 'JPEG-D+JPEG-D') AND qos_level = 80 AND gamma > 0 AND (scheduler = 'profile_minimum' AND decide_by = 'measured' OR scheduler = 'dynamic_linear' AND start = 'half')
*/
SELECT
    CASE
        WHEN scheduler = 'profile_minimum' THEN 'fewest of all allocations'
        WHEN midpoint THEN 'default'
        ELSE 'without mid-point'
    END AS setting,
    CASE mix WHEN 'JPEG-D+JPEG-D' THEN 'each of two JPEG-D' ELSE mix END AS part,
    member AS replicate,
    qos_sms / CASE kind WHEN 'two_qos' THEN 2 ELSE 1 END AS value
FROM gpu_sharing_qos
WHERE mix IN ('AES-D', 'JPEG-D', 'JPEG-D+JPEG-D') AND qos_level = 80 AND gamma > 0
    AND (
        (scheduler = 'profile_minimum' AND decide_by = 'measured')
        OR (scheduler = 'dynamic_linear' AND start = 'half')
    )
