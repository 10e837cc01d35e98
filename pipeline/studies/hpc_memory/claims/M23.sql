/*
source: "HiPC 2024, Abstract and Section III-D"
statement: Memory can be allotted well even where estimates are not accurate. Stochastic that knows a job's share of time in the bins 0-8, 8-16 … 64-128 GB (each taken at its upper edge; above, twice as wide each) loses less than Aggregated.
unit: yes/no
parts: {105 GB: yes, 125 GB: yes, 150 GB: yes}
kind: yes_no
configuration: dynamic workloads at 105, 125 and 150 GB per node, knowledge bins, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s = length of a phase
differs: The width of the bins decides. A job is taken to need the upper edge of its bin, which is up to twice what it uses. With bins of 50 GB Stochastic loses less than Aggregated.
evidence: |
  SELECT avg(loss) FILTER (knowledge = 'bins') > avg(loss) FILTER (scheduler = 'aggregated')
      AND avg(loss) FILTER (knowledge = 'bins:50') < avg(loss) FILTER (scheduler = 'aggregated') AS holds,
    avg(loss) FILTER (knowledge = 'bins') AS bins, avg(loss) FILTER (knowledge = 'bins:50') AS bins_of_50_gb,
    avg(loss) FILTER (scheduler = 'aggregated') AS aggregated
  FROM hpc_memory_result
  WHERE kind = 'dynamic' AND release = 'load' AND load = 0.9 AND job_nodes = 'uniform' AND alpha = 0.03 AND tau_s = 1
    AND reconfiguration = 'serial' AND backfilling = 'easy' AND NOT free_start AND memory_per_node_gb IN (105, 125, 150) AND law_spread IS NULL
scenarios: hpc_memory_result WHERE kind = 'dynamic' AND release = 'load' AND load = 0.9 AND job_nodes = 'uniform' AND alpha = 0.03 AND tau_s = 1 AND reconfiguration = 'serial' AND backfilling = 'easy' AND NOT free_start AND (scheduler = 'unlimited' OR memory_per_node_gb IN (105, 125, 150) AND (scheduler = 'aggregated' OR scheduler = 'stochastic' AND knowledge = 'bins'))
*/
WITH wide AS (
    SELECT
        batch, memory_per_node_gb,
        max(loss) FILTER (scheduler = 'stochastic' AND knowledge = 'bins') AS ours,
        max(loss) FILTER (scheduler = 'aggregated') AS other
    FROM hpc_memory_result
    WHERE kind = 'dynamic' AND release = 'load' AND load = 0.9 AND job_nodes = 'uniform' AND alpha = 0.03 AND tau_s = 1
        AND reconfiguration = 'serial' AND backfilling = 'easy' AND NOT free_start AND memory_per_node_gb IN (105, 125, 150)
    GROUP BY ALL
)
SELECT 'default' AS setting, printf('%g GB', memory_per_node_gb) AS part, batch AS replicate, ours < other AS value
FROM wide
WHERE ours IS NOT NULL
