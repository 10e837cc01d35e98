-- Whether the dynamic form of a policy ends at the split that the policy chooses when it knows all curves (Section 6.3.2).
-- family: workload without its mix
-- mix: applications of the mix, joined by +
-- applications: applications of the mix [1]
-- trace: trace that the curves come from; null for an ensemble's
-- member: member of the ensemble; null for a trace's
-- sms: SMs of the GPU [1]
-- interpolation: between the points of a curve
-- gamma: contention for each SM of the others [1]
-- initial: start of the dynamic allocation
-- policy: policy
-- target: split with all curves known [1]
-- split: split at the end of the dynamic allocation [1]
-- rounds: splits tried after the start [1]
-- found: whether it ends at the target
-- found_in_two: whether it does within two passes
-- speedup_share: its system speed-up over that of the target [1]
-- cycles_to_5_percent: cycle from which on all are within 5 % of the final split's work [cycles]
CREATE VIEW gpu_sharing_dynamic AS
SELECT
    ours.family, ours.mix, ours.applications, ours.trace, ours.member, ours.sms, ours.interpolation, ours.gamma,
    ours.initial, ours.policy, best.split AS target, ours.split, ours.rounds,
    ours.split = best.split AS found,
    ours.split = best.split AND ours.rounds <= 2 AS found_in_two,
    ours.system_speedup / best.system_speedup AS speedup_share,
    ours.cycles_to_5_percent
FROM gpu_sharing_result AS ours
JOIN gpu_sharing_result AS best USING (family, mix, sms, interpolation, gamma, policy)
WHERE ours."dynamic" AND NOT best."dynamic" AND best.decide_by = 'measured'
ORDER BY family, mix, sms, interpolation, gamma, ours.initial, policy;
