/*
source: "HiPC 2024, Section VI-A.2, Figure 7"
statement: With r = mean length of a phase / length of a reconfiguration, Priority does as well at r = 100 as at 1000; at 25 Aggregated is better above 200 GB per node, at 1 for every memory.
unit: yes/no
parts:
  r = 100 as good as r = 1000: yes
  "r = 25, above 200 GB: Aggregated better": yes
  "r = 1, every memory: Aggregated better": yes
kind: yes_no
configuration: phased workloads, normalised utilisation batch by batch at every memory size of the grid from 105 GB per node ('as good' is a difference of at most 0.01, what the paper calls negligible on Figure 6), nodes uniform 1..23, load 0.9, alpha 0.03; settings vary the load, and what is as good
scenarios: hpc_memory_paper WHERE kind = 'phased' AND (scheduler = 'unlimited' OR scheduler IN ('priority', 'aggregated') AND memory_per_node_gb >= 105 AND alpha = 0.03)
*/
WITH curve AS (
    SELECT
        setting, batch, memory_per_node_gb,
        max(normalised) FILTER (scheduler = 'priority' AND tau_s = 1) AS r1000,
        max(normalised) FILTER (scheduler = 'priority' AND tau_s = 10) AS r100,
        max(normalised) FILTER (scheduler = 'priority' AND tau_s = 40) AS r25,
        max(normalised) FILTER (scheduler = 'priority' AND tau_s = 1000) AS r1,
        max(normalised) FILTER (scheduler = 'aggregated' AND tau_s = 1) AS aggregated
    FROM hpc_memory_paper
    WHERE kind = 'phased' AND alpha = 0.03 AND memory_per_node_gb >= 105
    GROUP BY ALL
),
threshold (most, named) AS (VALUES (0.01, NULL), (0.005, 'as good within 0.005'), (0.02, 'as good within 0.02')),
judged AS (
    SELECT
        coalesce(named, setting) AS setting, batch,
        bool_and(abs(r100 - r1000) <= most) AS r100_is_r1000,
        bool_and(aggregated > r25) FILTER (memory_per_node_gb > 200) AS aggregated_at_r25,
        bool_and(aggregated > r1) AS aggregated_at_r1
    FROM curve CROSS JOIN threshold
    WHERE named IS NULL OR setting = 'default'
    GROUP BY ALL
)
SELECT setting, part, batch AS replicate, value
FROM (
    SELECT setting, batch, 'r = 100 as good as r = 1000' AS part, r100_is_r1000 AS value FROM judged
    UNION ALL
    SELECT setting, batch, 'r = 25, above 200 GB: Aggregated better', aggregated_at_r25 FROM judged
    UNION ALL
    SELECT setting, batch, 'r = 1, every memory: Aggregated better', aggregated_at_r1 FROM judged
)
WHERE value IS NOT NULL
