/*
source: "ICS 2025, Section 4.2, Figure 8b"
statement: Each technique reduces the average turnaround time, and spatial multitasking most.
unit: yes/no
parts: {each step improves it: yes, SE-Opt to SM-Opt (FCFS) is the largest step: yes}
kind: yes_no
pooled: {Measured shapes: Measured shapes/}
configuration: geometric mean over W1 to W5 of 24 jobs, from SE-Full over SE-Opt, SM-Opt (FCFS) and SM-Opt (OoO) to PIM-CARE; sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table with its batches, the value is over the tables with measured shapes, each with its batches' mean
scenarios: pim_ranks_paper WHERE jobs = 24 AND scheduler IN ('se_full', 'se_opt', 'sm_opt_fcfs', 'sm_opt_ooo', 'pim_care')
*/
WITH wide AS (
    SELECT
        setting, replicate, max(att) FILTER (scheduler = 'se_opt') AS se_opt,
        max(att) FILTER (scheduler = 'sm_opt_fcfs') AS fcfs, max(att) FILTER (scheduler = 'sm_opt_ooo') AS ooo,
        max(att) FILTER (scheduler = 'pim_care') AS care
    FROM pim_ranks_claim
    WHERE jobs = 24 AND set_name = 'all'
    GROUP BY ALL
)
SELECT setting, 'each step improves it' AS part, replicate, 1 < se_opt AND se_opt < fcfs AND fcfs < ooo AND ooo < care AS value
FROM wide
UNION ALL
SELECT
    setting, 'SE-Opt to SM-Opt (FCFS) is the largest step', replicate,
    fcfs / se_opt > greatest(se_opt, ooo / fcfs, care / ooo)
FROM wide
