/*
source: "ICS 2025, Section 4.2, Figure 8a"
statement: Throughput rises from SE-Full over SE-Opt, SM-Opt (FCFS) and SM-Opt (OoO) to PIM-CARE.
unit: yes/no
paper_value: 1
kind: yes_no
pooled: {Measured shapes: Measured shapes/}
configuration: geometric mean over W1 to W5 of 24 jobs, each above the one before; the order depends on tables that are not published; sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table with its batches, the value is over the tables with measured shapes, each with its batches' mean
differs: It depends on performance tables that are not published. In most of those with measured shapes the order is the printed one. In the others the last step, to PIM-CARE, goes the other way.
evidence: |
  WITH wide AS (
    SELECT replicate, max(throughput) FILTER (scheduler = 'sm_opt_fcfs') AS fcfs, max(throughput) FILTER (scheduler = 'sm_opt_ooo') AS ooo,
      max(throughput) FILTER (scheduler = 'pim_care') AS care, max(throughput) FILTER (scheduler = 'se_opt') AS se_opt
    FROM pim_ranks_claim WHERE setting = 'Measured shapes' AND jobs = 24 AND set_name = 'all' GROUP BY ALL
  )
  SELECT avg((care > ooo AND ooo > fcfs)::INT) < avg((fcfs > se_opt AND se_opt > 1)::INT) AS holds, avg((care > ooo)::INT) AS care_above_ooo,
    avg((ooo > fcfs)::INT) AS ooo_above_fcfs, avg((fcfs > se_opt)::INT) AS fcfs_above_se_opt
  FROM wide
scenarios: pim_ranks_paper WHERE jobs = 24 AND scheduler IN ('se_full', 'se_opt', 'sm_opt_fcfs', 'sm_opt_ooo', 'pim_care')
*/
SELECT
    setting, replicate,
    1 < max(throughput) FILTER (scheduler = 'se_opt')
    AND max(throughput) FILTER (scheduler = 'se_opt') < max(throughput) FILTER (scheduler = 'sm_opt_fcfs')
    AND max(throughput) FILTER (scheduler = 'sm_opt_fcfs') < max(throughput) FILTER (scheduler = 'sm_opt_ooo')
    AND max(throughput) FILTER (scheduler = 'sm_opt_ooo') < max(throughput) FILTER (scheduler = 'pim_care') AS value
FROM pim_ranks_claim
WHERE jobs = 24 AND set_name = 'all'
GROUP BY ALL
