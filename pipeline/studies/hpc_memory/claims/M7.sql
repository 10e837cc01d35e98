/*
source: "HiPC 2024, Section VI-A.1, Figure 4"
statement: With 150 GB per node schedulers that reconfigure less (Oldest-First, Largest-First) are slightly better than Priority.
unit: points of utilisation
parts: {Oldest-First above Priority: more, Largest-First above Priority: more}
kind: more
configuration: phased workloads at 150 GB per node, utilisation less that of Priority, batch by batch, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s; settings vary load, rule of release, law of memory and of nodes, what a reconfiguration takes, and whether a start waits for it, and the size of a job (its nodes)
differs: Priority is ahead by about 0.2 points, and it is ahead in every setting that was tried. Why the others are ahead in the paper is not known.
evidence: |
  SELECT avg(other.utilisation - priority.utilisation) < 0 AS holds, avg(other.utilisation - priority.utilisation) FILTER (other.scheduler = 'oldest_first') AS oldest_first_less_priority,
    avg(other.utilisation - priority.utilisation) FILTER (other.scheduler = 'largest_first') AS largest_first_less_priority
  FROM hpc_memory_paper AS priority JOIN hpc_memory_paper AS other USING (setting, kind, batch, memory_per_node_gb, alpha, tau_s)
  WHERE setting = 'default' AND kind = 'phased' AND memory_per_node_gb = 150 AND alpha = 0.03 AND tau_s = 1 AND priority.scheduler = 'priority'
    AND other.scheduler IN ('oldest_first', 'largest_first')
scenarios: hpc_memory_paper WHERE kind = 'phased' AND scheduler IN ('priority', 'oldest_first', 'largest_first') AND memory_per_node_gb = 150 AND alpha = 0.03 AND tau_s = 1
*/
WITH compared AS (
    SELECT
        setting, batch,
        CASE other.scheduler
            WHEN 'oldest_first' THEN 'Oldest-First above Priority'
            ELSE 'Largest-First above Priority'
        END AS part,
        other.utilisation - priority.utilisation AS lead
    FROM hpc_memory_paper AS priority
    JOIN hpc_memory_paper AS other USING (setting, kind, batch, memory_per_node_gb, alpha, tau_s)
    WHERE kind = 'phased' AND memory_per_node_gb = 150 AND alpha = 0.03 AND tau_s = 1
        AND priority.scheduler = 'priority' AND other.scheduler IN ('oldest_first', 'largest_first')
)
SELECT setting, part, batch AS replicate, lead AS value
FROM compared
