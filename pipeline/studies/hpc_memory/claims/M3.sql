/*
source: "HiPC 2024, Section VI-B.1 on Figure 4"
statement: With 105 GB per node Priority reaches 85 % of utilisation on phased workloads; 15 % are lost.
unit: share
paper_value: 0.15
digit: 0.01
kind: value
configuration: phased workloads, one less utilisation, not normalised, as in Figure 4 (10 % of what is lost can be missed, 10 % of 85 % cannot), nodes uniform 1..23, load 0.9, alpha 0.03, tau 1 s; settings vary load, rule of release, law of memory and of nodes, what a reconfiguration takes, and whether a start waits for it
differs: Less of the machine is lost than the paper prints, at every load and rule of release that was tried. With memory that spreads further than is assumed, 75 GB in the place of 60, more is lost. That is still less than 15 %.
evidence: |
  SELECT max(value) < 0.15 AS holds, max(value) FILTER (setting = 'load 0.8') AS lost_at_08, max(value) FILTER (setting = 'default') AS lost_at_09,
    max(value) FILTER (setting = 'load 1.0') AS lost_at_10, max(value) FILTER (setting = 'printed release') AS lost_as_printed, max(value) FILTER (setting = 'sd_memory_gb 75') AS lost_at_sd_75
  FROM (
    SELECT setting, avg(1 - utilisation) AS value FROM hpc_memory_paper
    WHERE kind = 'phased' AND scheduler = 'priority' AND memory_per_node_gb = 105 AND alpha = 0.03 AND tau_s = 1 AND setting IN ('default', 'load 0.8', 'load 0.84', 'load 1.0', 'printed release', 'sd_memory_gb 75') GROUP BY ALL
  )
scenarios: hpc_memory_paper WHERE kind = 'phased' AND scheduler = 'priority' AND memory_per_node_gb = 105 AND alpha = 0.03 AND tau_s = 1 AND setting <> 'largest by nodes'
*/
SELECT setting, batch AS replicate, 1 - utilisation AS value
FROM hpc_memory_paper
WHERE kind = 'phased' AND scheduler = 'priority' AND memory_per_node_gb = 105 AND alpha = 0.03 AND tau_s = 1
    AND setting <> 'largest by nodes'
