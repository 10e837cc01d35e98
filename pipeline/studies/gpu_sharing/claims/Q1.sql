/*
source: "thesis, Section 5.4, Figure 11"
statement: For 160 IPC of SHA1 the algorithm goes from 30 to 12 to 9 SMs and stays there.
unit: yes/no
paper_value: 1
kind: yes_no
configuration: SHA1 alone, started on all 30 SMs, without the mid-point, 160 IPC being 80 % of half of 400; replicates are surrogate curves, kept because 9 SMs are the fewest for 160 IPC and IPC(30) is 400, so that the first step, to 12, holds by construction, the second and the end do not; settings are the sharpness of the bend of SHA1's curve
scenarios: gpu_sharing_qos WHERE mix = 'SHA1' AND qos_level = 80 AND scheduler = 'dynamic_linear' AND NOT midpoint AND start = 'all'
*/
WITH path AS (
    SELECT member, sha1_sharpness, list(sms ORDER BY round) AS sizes
    FROM gpu_sharing_qos JOIN round_gpu_sharing USING (scenario_id)
    WHERE mix = 'SHA1' AND qos_level = 80 AND scheduler = 'dynamic_linear' AND NOT midpoint AND start = 'all'
    GROUP BY ALL
)
SELECT 'default' AS setting, member AS replicate, sizes = [30, 12, 9] AS value FROM path
UNION ALL
SELECT
    CASE WHEN sha1_sharpness < 8 THEN 'bend below 8' WHEN sha1_sharpness < 16 THEN 'bend 8 to 16' ELSE 'bend above 16' END,
    member, sizes = [30, 12, 9]
FROM path
