/*
source: "ICS 2025, Section 4.2, Figure 8a"
statement: In W5 PIM-CARE adds no throughput over SM-Opt (OoO), resources being fully used as they are there.
unit: yes/no
parts: {at most 2 % more: 1, at most 2 % less: 1}
kind: yes_no
pooled: {Table 2 only: admissible/, Table 2 and Figure 2: admissible_figure_2/}
configuration: W5 of 24 jobs; sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table with its batches, the value is over the tables that agree with Table 2, each with its batches' mean
scenarios: pim_ranks_paper WHERE jobs = 24 AND scheduler IN ('se_full', 'sm_opt_ooo', 'pim_care') AND set_name = 'W5'
*/
WITH compared AS (
    SELECT setting, replicate, care.throughput / ooo.throughput AS ratio
    FROM pim_ranks_claim AS care JOIN pim_ranks_claim AS ooo USING (setting, replicate, set_name, jobs)
    WHERE jobs = 24 AND set_name = 'W5' AND care.scheduler = 'pim_care' AND ooo.scheduler = 'sm_opt_ooo'
)
SELECT setting, 'at most 2 % more' AS part, replicate, ratio <= 1.02 AS value FROM compared
UNION ALL
SELECT setting, 'at most 2 % less', replicate, ratio >= 0.98 FROM compared
