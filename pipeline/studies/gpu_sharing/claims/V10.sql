/*
source: "thesis, Chapter 3, Figure 3"
statement: As more SMs are integrated in a die, the relative variation of their highest frequencies increases.
unit: yes/no
parts: {30 over 15 SMs: yes, 60 over 30 SMs: yes, 120 over 60 SMs: yes}
kind: yes_no
configuration: how much faster the fastest SM of a map is than its slowest; replicates are maps, each scaled once so that 30 SMs have 1.4; the correlation reaches half of the die's edge, whatever its SMs
scenarios: gpu_sharing_variation WHERE clocking = 'per_sm'
*/
WITH die AS (SELECT map_seed, sms, max(frequency) - min(frequency) AS spread FROM sm_map_gpu_sharing GROUP BY ALL)
SELECT
    'default' AS setting, format('{} over {} SMs', larger.sms, smaller.sms) AS part, map_seed::VARCHAR AS replicate,
    larger.spread > smaller.spread AS value
FROM die AS larger JOIN die AS smaller USING (map_seed)
WHERE larger.sms = 2 * smaller.sms AND smaller.sms >= 15
