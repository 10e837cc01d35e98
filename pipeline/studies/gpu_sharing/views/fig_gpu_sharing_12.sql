-- Rounds of dynamic_linear at 80 % of the QoS (thesis, Figure 12): one and two QoS applications, and one beside a
-- best-effort application, with the mid-point, from half of the SMs; the first surrogate curves, with contention.
-- scenario_id: scenario
-- mix: applications, joined by +
-- kind: one_qos, two_qos or qos_best_effort
-- round: round; 0 is the start
-- from_cycle: cycle from which all its SMs of the round are its own, with thread blocks of 25,000 cycles [cycles]
-- slot: place of the application in the mix
-- app: application
-- role: QoS or best effort
-- sms: SMs that it has [1]
-- throughput: throughput on them, beside the other [1]
-- least_sms: fewest SMs for all QoS applications together; null where none are enough [1]
CREATE VIEW fig_gpu_sharing_12 AS
SELECT
    scenario_id, qos.mix, kind, round, from_cycle, slot, app,
    CASE WHEN list_contains(qos_slots, slot) THEN 'QoS' ELSE 'best effort' END AS role,
    round_gpu_sharing.sms, throughput, least_sms
FROM (SELECT * FROM gpu_sharing_qos WHERE gamma > 0 QUALIFY member = min(member) OVER ()) AS qos
JOIN scenario USING (scenario_id)
JOIN round_gpu_sharing USING (scenario_id)
JOIN mix_gpu_sharing USING (mix_id, slot)
WHERE qos.scheduler = 'dynamic_linear' AND qos.midpoint AND qos.start = 'half' AND qos.qos_level = 80
ORDER BY kind, mix, round, slot;
