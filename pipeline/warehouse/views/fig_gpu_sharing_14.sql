-- Figure 14 of the thesis, for every pair that a trace states: throughput of both applications and the system for each split,
-- and which policies choose it.
-- trace_id: trace that the curves come from
-- mix: applications of the mix, joined by +
-- sms: SMs of the GPU [1]
-- first_sms: SMs of the first application; the other has the rest [1]
-- line: application, or system
-- throughput: instructions a cycle, or the curves' other rate [1]
-- cooperative: the same in cooperative multitasking [1]
-- policies: policies that choose the split, joined by a comma; null where none does
CREATE VIEW fig_gpu_sharing_14 AS
WITH pairs AS (
    SELECT DISTINCT trace_id, mix, workload_id AS mix_id, gpu_sharing_result.sms
    FROM gpu_sharing_result JOIN scenario USING (scenario_id)
    WHERE gpu_sharing_result.kind = 'stated' AND applications = 2
),
slots AS (
    SELECT
        trace_id, mix, pairs.sms, slot, regexp_extract(mix_gpu_sharing.app, '[^/]*$') AS line,
        CASE slot WHEN 0 THEN curve.sms ELSE pairs.sms - curve.sms END AS first_sms, ipc,
        max(ipc) FILTER (curve.sms = pairs.sms) OVER (PARTITION BY trace_id, mix, pairs.sms, slot) / 2 AS cooperative
    FROM pairs
    JOIN mix_gpu_sharing USING (mix_id)
    JOIN gpu_sharing_curve AS curve USING (curve_set, app)
    WHERE curve.sms <= pairs.sms
),
lines AS (
    SELECT trace_id, mix, sms, first_sms, line, ipc AS throughput, cooperative FROM slots
    UNION ALL
    SELECT trace_id, mix, sms, first_sms, 'system', sum(ipc), sum(cooperative) FROM slots GROUP BY ALL
),
chosen AS (
    SELECT trace_id, mix, sms, split[1] AS first_sms, string_agg(policy, ', ' ORDER BY policy) AS policies
    FROM gpu_sharing_result
    WHERE kind = 'stated' AND applications = 2 AND NOT "dynamic" AND policy <> 'cooperative' AND gamma = 0
        AND interpolation = 'linear'
    GROUP BY ALL
)
SELECT trace_id, mix, sms, first_sms, line, throughput, cooperative, policies
FROM lines LEFT JOIN chosen USING (trace_id, mix, sms, first_sms)
WHERE first_sms BETWEEN 1 AND sms - 1
ORDER BY trace_id, mix, sms, line, first_sms;
