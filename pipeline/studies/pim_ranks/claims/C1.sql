/*
source: "ICS 2025, Section 4.2, Figure 8a"
statement: Throughput over SE-Full is 1.23 for SE-Opt, 3.82 for SM-Opt (FCFS), 4.09 for SM-Opt (OoO), 5.49 for PIM-CARE.
unit: times that of SE-Full
parts: {SE-Opt: 1.23, SM-Opt (FCFS): 3.82, SM-Opt (OoO): 4.09, PIM-CARE: 5.49}
digit: 0.01
kind: value
pooled: {Table 2 only: admissible/, Table 2 and Figure 2: admissible_figure_2/}
configuration: geometric mean over W1 to W5 of 24 jobs; sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table with its batches, the value is over the tables that agree with Table 2, each with its batches' mean
differs: "The paper prints the best number of ranks of each application and not how fast its speed falls beyond it: the random tables fall steeply, which makes SE-Full, the base of the ratio, slow."
scenarios: pim_ranks_paper WHERE jobs = 24 AND scheduler IN ('se_full', 'se_opt', 'sm_opt_fcfs', 'sm_opt_ooo', 'pim_care')
*/
SELECT
    setting,
    CASE scheduler
        WHEN 'se_opt' THEN 'SE-Opt'
        WHEN 'sm_opt_fcfs' THEN 'SM-Opt (FCFS)'
        WHEN 'sm_opt_ooo' THEN 'SM-Opt (OoO)'
        ELSE 'PIM-CARE'
    END AS part,
    replicate, throughput AS value
FROM pim_ranks_claim
WHERE jobs = 24 AND set_name = 'all' AND scheduler IN ('se_opt', 'sm_opt_fcfs', 'sm_opt_ooo', 'pim_care')
