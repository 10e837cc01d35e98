-- SMs that QoS applications do not need (thesis, Figure 9): of 15 where one runs alone, of 30 where two share the GPU; the
-- fewest SMs of all allocations, surrogate curves with contention.
-- mix: applications, joined by +
-- kind: one_qos or two_qos
-- qos_level: target, in per cent of half of the throughput on all SMs [%]
-- of_sms: SMs that there are [1]
-- spare_sms: mean over the members of those that are not needed [1]
-- spare_least: least of a member [1]
-- spare_most: largest of a member [1]
-- printed: in Section 5.2; null where it is only drawn [1]
-- met: share of the members in which some allocation meets all targets [1]
-- members: sets of surrogate curves [1]
CREATE VIEW fig_gpu_sharing_9 AS
SELECT
    mix, kind, qos_level,
    of_sms,
    avg(of_sms - qos_sms) AS spare_sms, min(of_sms - qos_sms) AS spare_least, max(of_sms - qos_sms) AS spare_most,
    CASE
        WHEN qos_level < 100 THEN NULL
        WHEN mix = 'SHA1' THEN 4
        WHEN mix = 'AES-D' THEN 0
        WHEN mix = 'JPEG-D+SHA1' THEN 11
    END AS printed,
    avg((qos_met = 1)::INTEGER) AS met,
    count(*) AS members
FROM (SELECT *, CASE kind WHEN 'one_qos' THEN 15 ELSE 30 END AS of_sms FROM gpu_sharing_qos)
WHERE kind <> 'qos_best_effort' AND scheduler = 'profile_minimum' AND decide_by = 'measured' AND gamma > 0
GROUP BY ALL
ORDER BY kind, mix, qos_level DESC;
