-- Figure 15 of the thesis: speed-ups (geometric means) and unfairness (means) over all pairs of a set of curves, by policy.
-- source: trace that the curves come from, or ensemble
-- member: member of the ensemble; null for a trace's
-- interpolation: between the points of a curve
-- sms: SMs of the GPU [1]
-- policy: policy
-- pairs: pairs of applications [1]
-- system_speedup: geometric mean over the pairs [1]
-- least_speedup: geometric mean over the pairs [1]
-- starved: share of pairs in which an application has a speed-up below 0.5 [1]
-- slowed: share of pairs in which an application is slower than in cooperative multitasking [1]
-- unfairness_sms: mean over the pairs [1]
-- unfairness_throughput: mean over the pairs [1]
-- unfairness_speedup: mean over the pairs [1]
CREATE VIEW fig_gpu_sharing_15 AS
SELECT
    coalesce(trace, 'ensemble') AS source, member, interpolation, sms, policy, count(*) AS pairs,
    exp(avg(ln(system_speedup))) AS system_speedup,
    exp(avg(ln(greatest(least_speedup, 1e-9)))) AS least_speedup,
    avg((least_speedup < 0.5)::DOUBLE) AS starved,
    avg((least_speedup < 1 - 1e-9)::DOUBLE) AS slowed,
    avg(unfairness_sms) AS unfairness_sms,
    avg(unfairness_throughput) AS unfairness_throughput,
    avg(unfairness_speedup) AS unfairness_speedup
FROM gpu_sharing_result
WHERE kind = 'mixes' AND applications = 2 AND NOT "dynamic" AND gamma = 0
GROUP BY ALL
ORDER BY source, member, interpolation, sms, policy;
