/*
source: "ICS 2025, Section 4.2, Figure 8b"
statement: Average turnaround time improves 3.08 times from SE-Opt to SM-Opt (FCFS), 1.42 times from there to SM-Opt (OoO), 1.05 times from there to PIM-CARE.
unit: times
parts: {FCFS over SE-Opt: 3.08, OoO over FCFS: 1.42, PIM-CARE over OoO: 1.05}
digit: 0.01
kind: value
pooled: {Measured shapes: Measured shapes/}
configuration: ratio of the geometric means over W1 to W5 of 24 jobs, the printed one being that of two printed numbers; it leaves out SE-Full, which depends on how fast speed falls beyond the best ranks; sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table with its batches, the value is over the tables with measured shapes, each with its batches' mean
differs: With tables of measured shapes the first two steps come out. The last one, to PIM-CARE, is larger than printed. Why PIM-CARE gains less turnaround time on the paper's machine is not known.
evidence: |
  WITH wide AS (
    SELECT replicate, max(att) FILTER (scheduler = 'se_opt') AS se_opt, max(att) FILTER (scheduler = 'sm_opt_fcfs') AS fcfs, max(att) FILTER (scheduler = 'sm_opt_ooo') AS ooo,
      max(att) FILTER (scheduler = 'pim_care') AS care
    FROM pim_ranks_claim WHERE setting = 'Measured shapes' AND jobs = 24 AND set_name = 'all' GROUP BY ALL
  )
  SELECT avg(care / ooo) > 1.1 AS holds, avg(fcfs / se_opt) AS fcfs_over_se_opt, avg(ooo / fcfs) AS ooo_over_fcfs, avg(care / ooo) AS care_over_ooo
  FROM wide
scenarios: pim_ranks_paper WHERE jobs = 24 AND scheduler IN ('se_full', 'se_opt', 'sm_opt_fcfs', 'sm_opt_ooo', 'pim_care')
*/
SELECT setting, step.part, replicate, ours.att / base.att AS value
FROM pim_ranks_claim AS ours
JOIN pim_ranks_claim AS base USING (setting, replicate, set_name, jobs)
JOIN (
    VALUES
        ('FCFS over SE-Opt', 'sm_opt_fcfs', 'se_opt'),
        ('OoO over FCFS', 'sm_opt_ooo', 'sm_opt_fcfs'),
        ('PIM-CARE over OoO', 'pim_care', 'sm_opt_ooo')
) AS step (part, ours, base) ON ours.scheduler = step.ours AND base.scheduler = step.base
WHERE jobs = 24 AND set_name = 'all'
