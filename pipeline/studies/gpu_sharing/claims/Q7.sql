/*
source: "thesis, Section 5.4, Figure 12"
statement: Two copies of JPEG-D converge to 12 SMs each at 80 % of the QoS.
unit: SMs
paper_value: 12
digit: 1
kind: value
configuration: mid-point, half of the SMs at the start, 80 % of the QoS; that AES-D alone converges to 12 and JPEG-D to 11 follows from the surrogate curves, which are kept where these are the fewest, and is no part; replicates are surrogate curves; settings leave the mid-point out, or take the fewest SMs of all allocations
scenarios: gpu_sharing_qos WHERE mix = 'JPEG-D+JPEG-D' AND qos_level = 80 AND gamma > 0 AND (scheduler = 'profile_minimum' AND decide_by = 'measured' OR scheduler = 'dynamic_linear' AND start = 'half')
*/
SELECT DISTINCT
    CASE
        WHEN scheduler = 'profile_minimum' THEN 'fewest of all allocations'
        WHEN midpoint THEN 'default'
        ELSE 'without mid-point'
    END AS setting,
    member AS replicate, qos_sms / 2 AS value
FROM gpu_sharing_qos
WHERE mix = 'JPEG-D+JPEG-D' AND qos_level = 80 AND gamma > 0
    AND (
        (scheduler = 'profile_minimum' AND decide_by = 'measured')
        OR (scheduler = 'dynamic_linear' AND start = 'half')
    )
