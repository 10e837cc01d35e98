/*
source: "HiPC 2024, Section I"
statement: Marconi100 uses up to 50 % of its total memory for half of its operation time.
unit: yes/no
parts: {at most half of the memory for half of the time: yes}
kind: yes_no
configuration: dropped months of the format marconi100 and kind 'measured'; memory in use by jobs over that of all nodes, by the log's own starts; replicates are days; a generated trace is no evidence
differs: It takes a dropped month of Marconi100, and none was dropped.
*/
SELECT
    'default' AS setting, 'at most half of the memory for half of the time' AS part,
    (machine_memory.time_s // 86400)::VARCHAR AS replicate,
    sum(machine_memory.duration_s) FILTER (share <= 0.5) >= 0.5 * sum(machine_memory.duration_s) AS value
FROM machine_memory JOIN trace USING (trace)
WHERE trace.kind = 'measured' AND trace.format = 'marconi100' AND share IS NOT NULL
GROUP BY ALL
