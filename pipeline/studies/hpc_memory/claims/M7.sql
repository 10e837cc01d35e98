/*
source: "HiPC 2024, Section VI-A.1, Figure 4"
statement: With 150 GB a node schedulers that reconfigure less (Oldest-First, Largest-First) are slightly better than Priority.
unit: yes/no
parts: {Oldest-First above Priority: 1, Largest-First above Priority: 1}
kind: yes_no
configuration: phased workloads at 150 GB a node, utilisation compared batch by batch, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s; settings vary load, rule of release, law of memory and of nodes, what a reconfiguration takes, and whether a start waits for it, and the size of a job (its nodes)
differs: "Why is not known: under every reading tried Priority is ahead in at least half of the batches, in the default one by a fifth of a point on average."
scenarios: hpc_memory_paper WHERE kind = 'phased' AND scheduler IN ('priority', 'oldest_first', 'largest_first') AND memory_per_node_gb = 150 AND alpha = 0.03 AND tau_s = 1
*/
WITH compared AS (
    SELECT
        setting, batch,
        CASE other.scheduler
            WHEN 'oldest_first' THEN 'Oldest-First above Priority'
            ELSE 'Largest-First above Priority'
        END AS part,
        other.utilisation > priority.utilisation AS above
    FROM hpc_memory_paper AS priority
    JOIN hpc_memory_paper AS other USING (setting, kind, batch, memory_per_node_gb, alpha, tau_s)
    WHERE kind = 'phased' AND memory_per_node_gb = 150 AND alpha = 0.03 AND tau_s = 1
        AND priority.scheduler = 'priority' AND other.scheduler IN ('oldest_first', 'largest_first')
)
SELECT setting, part, batch AS replicate, above AS value
FROM compared
