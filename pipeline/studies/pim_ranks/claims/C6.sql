/*
source: "ICS 2025, Section 4.2, Figure 8a"
statement: Throughput rises from SE-Full over SE-Opt, SM-Opt (FCFS) and SM-Opt (OoO) to PIM-CARE.
unit: yes/no
paper_value: 1
kind: yes_no
pooled: {Table 2 only: admissible/, Table 2 and Figure 2: admissible_figure_2/}
configuration: geometric mean over W1 to W5 of 24 jobs, each above the one before; the order hangs on tables that are not published; sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table with its batches, the value is over the tables that agree with Table 2, each with its batches' mean
differs: "It hangs on performance tables that are not published: the order is the paper's in about two thirds of the tables that agree with Table 2."
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
