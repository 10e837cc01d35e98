/*
source: "HiPC 2024, Section VI-B.1"
statement: With 105 GB per node the best on dynamic workloads (Stochastic, 80 %) cannot reach what Priority reaches on phased ones (85 %).
unit: points of utilisation
parts: {difference: 0.05, Priority is ahead: more}
digit: 0.01
kind: value
configuration: utilisation of Priority on phased workloads, as Figure 4 draws it, less that of Stochastic on dynamic ones, normalised as Figure 8 draws it, at 105 GB per node, batches paired by number, nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s; settings take both as utilisation, vary the load, and what a reconfiguration takes
scenarios: hpc_memory_paper WHERE kind = 'dynamic' AND scheduler = 'unlimited' OR memory_per_node_gb = 105 AND alpha = 0.03 AND tau_s = 1 AND (kind = 'phased' AND scheduler = 'priority' OR kind = 'dynamic' AND scheduler = 'stochastic')
*/
WITH paired AS (
    SELECT
        setting, batch, phased.utilisation - dynamic.normalised AS lead,
        phased.utilisation - dynamic.utilisation AS of_the_machine
    FROM hpc_memory_paper AS phased JOIN hpc_memory_paper AS dynamic USING (setting, batch, memory_per_node_gb, alpha, tau_s)
    WHERE phased.kind = 'phased' AND phased.scheduler = 'priority' AND dynamic.kind = 'dynamic'
        AND dynamic.scheduler = 'stochastic' AND memory_per_node_gb = 105 AND alpha = 0.03 AND tau_s = 1
        AND setting <> 'largest by nodes'
),
read AS (
    SELECT setting, batch, lead FROM paired
    UNION ALL
    SELECT 'both of the machine', batch, of_the_machine FROM paired WHERE setting = 'default'
)
SELECT setting, part, batch AS replicate, lead AS value
FROM read CROSS JOIN (VALUES ('difference'), ('Priority is ahead')) AS said (part)
