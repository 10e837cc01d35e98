-- The way of dynamic_linear from 30 SMs to 160 IPC of SHA1, alone (thesis, Figure 11), on the first surrogate curve.
-- line: curve (the curve itself), straight (each step to what the line through the origin asks for) or midpoint
-- round: round; null on the curve
-- sms: SMs [1]
-- ipc: throughput on them [1]
-- target: throughput that is asked for [1]
CREATE VIEW fig_gpu_sharing_11 AS
WITH run AS (
    SELECT scenario_id, member, midpoint, qos_level
    FROM gpu_sharing_qos
    WHERE mix = 'SHA1' AND qos_level = 80 AND scheduler = 'dynamic_linear' AND start = 'all'
    QUALIFY member = min(member) OVER ()
),
target AS (
    SELECT any_value(qos_level / 100 * ipc / 2) AS target, any_value(member) AS member
    FROM run JOIN curve_gpu_sharing ON curve_set = member
    WHERE app = 'SHA1' AND sms = 30
)
SELECT 'curve' AS line, NULL::BIGINT AS round, sms, ipc, target
FROM curve_gpu_sharing JOIN target ON curve_set = member
WHERE app = 'SHA1'
UNION ALL
SELECT CASE WHEN midpoint THEN 'midpoint' ELSE 'straight' END, round, sms, throughput, target
FROM run JOIN round_gpu_sharing USING (scenario_id), target
ORDER BY line, round, sms;
