/*
source: "HiPC 2024, Abstract and Section IV-B"
statement: Memory can be allotted well even where estimates are not accurate. Stochastic that knows one law of all jobs, and nothing of a single one, loses less than Aggregated.
unit: yes/no
parts: {105 GB: yes, 125 GB: yes, 150 GB: yes}
kind: yes_no
configuration: dynamic workloads at 105, 125 and 150 GB per node, knowledge trace, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s = length of a phase
scenarios: hpc_memory_result WHERE kind = 'dynamic' AND release = 'load' AND load = 0.9 AND job_nodes = 'uniform' AND alpha = 0.03 AND tau_s = 1 AND reconfiguration = 'serial' AND backfilling = 'easy' AND NOT free_start AND (scheduler = 'unlimited' OR memory_per_node_gb IN (105, 125, 150) AND (scheduler = 'aggregated' OR scheduler = 'stochastic' AND knowledge = 'trace'))
*/
WITH wide AS (
    SELECT
        batch, memory_per_node_gb,
        max(loss) FILTER (scheduler = 'stochastic' AND knowledge = 'trace') AS ours,
        max(loss) FILTER (scheduler = 'aggregated') AS other
    FROM hpc_memory_result
    WHERE kind = 'dynamic' AND release = 'load' AND load = 0.9 AND job_nodes = 'uniform' AND alpha = 0.03 AND tau_s = 1
        AND reconfiguration = 'serial' AND backfilling = 'easy' AND NOT free_start AND memory_per_node_gb IN (105, 125, 150)
    GROUP BY ALL
)
SELECT 'default' AS setting, printf('%g GB', memory_per_node_gb) AS part, batch AS replicate, ours < other AS value
FROM wide
WHERE ours IS NOT NULL
