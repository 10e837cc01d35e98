/*
source: "ICS 2025, Section 4.2, Figure 8b"
statement: In W4 availability-aware allocation (PIM-CARE) is not effective for the average turnaround time.
unit: yes/no
paper_value: 1
kind: yes_no
pooled: true
configuration: turnaround time of PIM-CARE in W4 of 24 jobs no better than that of SM-Opt (OoO); sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table (best_ranks of Table 2) with its batches, the value is over the tables, each with its batches' mean
*/
SELECT setting, replicate, care.att <= ooo.att AS value
FROM pim_ranks_claim AS care JOIN pim_ranks_claim AS ooo USING (setting, replicate, set_name, jobs)
WHERE jobs = 24 AND set_name = 'W4' AND care.scheduler = 'pim_care' AND ooo.scheduler = 'sm_opt_ooo'
