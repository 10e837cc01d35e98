-- Every split of a GPU's SMs between two applications, for every pair that was replayed on a trace's curves: throughput
-- of both and of the system, and which policies choose the split. Curves alone, linear between their points;
-- none of MIG slices, whose splits are layouts of these.
-- trace: trace that the curves come from
-- kind: mixes (all or drawn) or stated (by the trace)
-- mix: applications of the mix, joined by +
-- sms: SMs of the GPU [1]
-- first_sms: SMs of the first application; the other has the rest [1]
-- slot: place of the application in the mix; null for the system [1]
-- line: application, or system
-- throughput: instructions a cycle, or the curves' other rate [1]
-- cooperative: the same in cooperative multitasking [1]
-- known: whether the trace gives the throughput, and not the line between two of its points
-- policies: policies that choose the split, joined by a comma; null where none does
CREATE VIEW gpu_sharing_split AS
WITH ran AS (
    SELECT DISTINCT trace, kind, mix, workload_id, sms, split, policy
    FROM gpu_sharing_result JOIN (SELECT scenario_id, workload_id FROM scenario) USING (scenario_id)
    WHERE trace IS NOT NULL AND applications = 2 AND NOT "dynamic" AND gamma = 0 AND interpolation = 'linear'
        AND sizes = 'any'
),
pairs AS (
    SELECT DISTINCT trace, kind, mix, workload_id AS mix_id, sms FROM ran
),
slots AS (
    SELECT
        trace, kind, mix, pairs.sms, slot,
        CASE kind WHEN 'stated' THEN regexp_extract(mix_gpu_sharing.app, '[^/]*$') ELSE mix_gpu_sharing.app END AS line,
        CASE slot WHEN 0 THEN curve.sms ELSE pairs.sms - curve.sms END AS first_sms, ipc, known,
        max(ipc) FILTER (curve.sms = pairs.sms) OVER (PARTITION BY mix_id, pairs.sms, slot) / 2 AS cooperative
    FROM pairs
    JOIN mix_gpu_sharing USING (mix_id)
    JOIN gpu_sharing_curve AS curve USING (curve_set, app)
    WHERE curve.sms <= pairs.sms
),
lines AS (
    SELECT trace, kind, mix, sms, first_sms, slot, line, ipc AS throughput, cooperative, known FROM slots
    UNION ALL
    SELECT trace, kind, mix, sms, first_sms, NULL, 'system', sum(ipc), sum(cooperative), bool_and(known)
    FROM slots
    GROUP BY ALL
),
chosen AS (
    SELECT trace, kind, mix, sms, split[1] AS first_sms, string_agg(policy, ', ' ORDER BY policy) AS policies
    FROM ran
    WHERE policy <> 'cooperative'
    GROUP BY ALL
)
SELECT trace, kind, mix, sms, first_sms, slot, line, throughput, cooperative, known, policies
FROM lines LEFT JOIN chosen USING (trace, kind, mix, sms, first_sms)
WHERE first_sms BETWEEN 1 AND sms - 1
ORDER BY trace, kind, mix, sms, slot, first_sms;
