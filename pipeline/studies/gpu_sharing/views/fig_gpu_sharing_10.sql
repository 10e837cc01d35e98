-- Throughput of a best-effort application beside a QoS application, over cooperative multitasking (thesis, Figure 10): it
-- has what the fewest SMs of all allocations for the QoS application leave; surrogate curves with contention.
-- qos_app: application with a target
-- best_effort_app: best-effort application
-- qos_level: target, in per cent of half of the throughput on all SMs [%]
-- gain: geometric mean over the members [1]
-- gain_least: least of a member [1]
-- gain_most: largest of a member [1]
-- members: sets of surrogate curves [1]
CREATE VIEW fig_gpu_sharing_10 AS
SELECT
    qos_apps AS qos_app, best_effort_app, qos_level,
    exp(avg(ln(best_effort_gain))) AS gain, min(best_effort_gain) AS gain_least, max(best_effort_gain) AS gain_most,
    count(*) AS members
FROM gpu_sharing_qos
WHERE kind = 'qos_best_effort' AND scheduler = 'profile_minimum' AND decide_by = 'measured' AND gamma > 0
GROUP BY ALL
ORDER BY qos_app, best_effort_app, qos_level DESC;
