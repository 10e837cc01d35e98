-- Three ways to free an SM (thesis, Section 5.4) while dynamic_linear resizes for 80 % of the QoS: means of each member of the
-- surrogate curves over the mixes, with thread blocks of 25,000 cycles.
-- freeing: wait (its thread blocks end), migrate (their state is moved) or terminate (they are ended and start again)
-- kind: one_qos, two_qos or qos_best_effort
-- member: set of surrogate curves
-- realloc_cycles: cycle at which the last SM changed hands [cycles]
-- violation_cycles: cycles that applications are below their targets until then [cycles]
-- restarted_work: instructions done again [1]
-- rounds: allocations after the start [1]
-- qos_sms: SMs of the applications with a target in the end [1]
-- mixes: mixes that these are means of [1]
CREATE VIEW gpu_sharing_freeing AS
WITH compared AS (
    SELECT mix_id, gamma, qos_level, midpoint, "start"
    FROM scenario
    WHERE study = 'gpu_sharing' AND scheduler = 'dynamic_linear'
    GROUP BY ALL
    HAVING count(DISTINCT freeing) = 3
),
measures AS (
    PIVOT (SELECT * FROM metric)
    ON metric IN ('realloc_cycles', 'violation_cycles', 'restarted_work', 'rounds', 'spare_sms')
    USING first(value) GROUP BY scenario_id
)
SELECT
    freeing,
    CASE WHEN len(qos_slots) = 2 THEN 'two_qos' WHEN applications = 1 THEN 'one_qos' ELSE 'qos_best_effort' END AS kind,
    curve_set AS member,
    avg(realloc_cycles) AS realloc_cycles, avg(violation_cycles) AS violation_cycles,
    avg(restarted_work) AS restarted_work, avg(rounds) AS rounds, avg(scenario.sms - spare_sms) AS qos_sms,
    count(*) AS mixes
FROM scenario
JOIN compared USING (mix_id, gamma, qos_level, midpoint, "start")
JOIN workload_gpu_sharing USING (workload_id)
JOIN measures USING (scenario_id)
WHERE scheduler = 'dynamic_linear' AND qos_level = 80 AND member IS NOT NULL
GROUP BY ALL
ORDER BY ALL;
