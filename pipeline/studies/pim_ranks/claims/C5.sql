/*
source: "ICS 2025, Section 4.2, Figure 8b"
statement: In W4 availability-aware allocation (PIM-CARE) is not effective for the average turnaround time.
unit: yes/no
paper_value: 1
kind: yes_no
pooled: {Table 2 only: admissible/, Table 2 and Figure 2: admissible_figure_2/}
configuration: turnaround time of PIM-CARE in W4 of 24 jobs no better than that of SM-Opt (OoO); sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table with its batches, the value is over the tables that agree with Table 2, each with its batches' mean
differs: "It hangs on performance tables that are not published: in W4 PIM-CARE gains turnaround time in nearly half of the tables that agree with Table 2."
scenarios: pim_ranks_paper WHERE jobs = 24 AND scheduler IN ('se_full', 'sm_opt_ooo', 'pim_care') AND set_name = 'W4'
*/
SELECT setting, replicate, care.att <= ooo.att AS value
FROM pim_ranks_claim AS care JOIN pim_ranks_claim AS ooo USING (setting, replicate, set_name, jobs)
WHERE jobs = 24 AND set_name = 'W4' AND care.scheduler = 'pim_care' AND ooo.scheduler = 'sm_opt_ooo'
