/*
source: "ICS 2025, Section 4.3, Figure 8c"
statement: From 12 to 36 jobs SM-Opt scales in average turnaround time, not in throughput.
unit: yes/no
parts:
  FCFS, turnaround time improves: yes
  OoO, turnaround time improves: yes
  FCFS, throughput does not grow: yes
  OoO, throughput does not grow: yes
main:
  - FCFS, throughput does not grow
  - OoO, throughput does not grow
kind: yes_no
pooled: {Measured shapes: Measured shapes/}
configuration: geometric mean over W1 to W5, over SE-Full, at 36 jobs against that at 12; throughput grows where it rises by more than 5 %; the paper does not say which SM-Opt, so both are compared with it; sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table with its batches, the value is over the tables with measured shapes, each with its batches' mean
differs: With tables of measured shapes turnaround time scales as printed. Throughput does, too, as more jobs leave a smaller share of the ranks empty. Why it does not on the paper's machine is not known.
evidence: |
  SELECT avg(many.throughput / few.throughput) > 1.05 AS holds, avg(many.throughput / few.throughput) FILTER (scheduler = 'sm_opt_fcfs') AS growth_fcfs,
    avg(many.throughput / few.throughput) FILTER (scheduler = 'sm_opt_ooo') AS growth_ooo,
    (SELECT avg(rank_utilisation) FROM pim_ranks_result JOIN pim_ranks_paper USING (scenario_id)
      WHERE pim_ranks_paper.evidence = 'measured_shapes' AND pim_ranks_paper.jobs = 12 AND pim_ranks_paper.scheduler IN ('sm_opt_fcfs', 'sm_opt_ooo')) AS ranks_in_use_of_12_jobs,
    (SELECT avg(rank_utilisation) FROM pim_ranks_result JOIN pim_ranks_paper USING (scenario_id)
      WHERE pim_ranks_paper.evidence = 'measured_shapes' AND pim_ranks_paper.jobs = 36 AND pim_ranks_paper.scheduler IN ('sm_opt_fcfs', 'sm_opt_ooo')) AS ranks_in_use_of_36_jobs
  FROM pim_ranks_claim AS many JOIN pim_ranks_claim AS few USING (setting, replicate, set_name, scheduler)
  WHERE setting = 'Measured shapes' AND many.jobs = 36 AND few.jobs = 12 AND set_name = 'all' AND scheduler IN ('sm_opt_fcfs', 'sm_opt_ooo')
scenarios: pim_ranks_paper WHERE jobs IN (12, 36) AND scheduler IN ('se_full', 'sm_opt_fcfs', 'sm_opt_ooo')
*/
WITH threshold (times, named) AS (VALUES (1.05, NULL), (1.02, 'grows from 2 % on'), (1.1, 'grows from 10 % on')),
scaled AS (
    SELECT
        coalesce(named, setting) AS setting, replicate, CASE scheduler WHEN 'sm_opt_fcfs' THEN 'FCFS' ELSE 'OoO' END AS sm_opt,
        many.att > few.att AS improves, many.throughput <= times * few.throughput AS flat
    FROM pim_ranks_claim AS many JOIN pim_ranks_claim AS few USING (setting, replicate, set_name, scheduler)
    CROSS JOIN threshold
    WHERE many.jobs = 36 AND few.jobs = 12 AND set_name = 'all' AND scheduler IN ('sm_opt_fcfs', 'sm_opt_ooo')
        AND (named IS NULL OR setting = 'Measured shapes')
)
SELECT setting, sm_opt || ', turnaround time improves' AS part, replicate, improves AS value FROM scaled
UNION ALL
SELECT setting, sm_opt || ', throughput does not grow', replicate, flat FROM scaled
