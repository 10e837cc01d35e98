-- Which applications to run together: for each, its partners by the system speed-up that a fair split (max_fair_throughput)
-- gives the pair, best first.
-- trace: trace that the curves come from
-- origin: measured on a machine, or generated
-- sms: SMs of the GPU [1]
-- app: application
-- place: 1 = best partner [1]
-- partner: the other application
-- app_sms: SMs for the application [1]
-- partner_sms: SMs for the partner [1]
-- app_speedup: its speed-up over cooperative multitasking [1]
-- partner_speedup: the partner's [1]
-- system_speedup: that of both together [1]
CREATE VIEW best_gpu_partner AS
SELECT
    trace, trace.kind AS origin, gpu_sharing_result.sms, mine.app,
    row_number() OVER (
        PARTITION BY trace, gpu_sharing_result.sms, mine.app ORDER BY system_speedup DESC, other.app
    ) AS place,
    other.app AS partner, mine.sms AS app_sms, other.sms AS partner_sms, mine.speedup AS app_speedup,
    other.speedup AS partner_speedup, system_speedup
FROM gpu_sharing_result
JOIN outcome_gpu_sharing AS mine USING (scenario_id)
JOIN outcome_gpu_sharing AS other USING (scenario_id)
JOIN trace USING (trace)
WHERE gpu_sharing_result.kind = 'mixes' AND applications = 2 AND scheduler = 'max_fair_throughput' AND gamma = 0
    AND interpolation = 'linear' AND trace IS NOT NULL AND mine.slot <> other.slot
ORDER BY trace, gpu_sharing_result.sms, mine.app, place;
