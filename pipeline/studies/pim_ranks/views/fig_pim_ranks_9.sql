-- Timelines of one set W3 of 24 jobs under the paper's five schedulers (paper, Figure 9): the first batch with the first
-- admissible table.
-- scenario_id: scenario
-- scheduler: scheduler
-- machine_ranks: ranks of the machine [1]
-- job_id: job
-- app: application
-- app_group: 1 (BS, GEMV, MLP, TS) or 2 (Table 2)
-- ranks: ranks granted [1]
-- start_s: start [s]
-- end_s: end [s]
CREATE VIEW fig_pim_ranks_9 AS
SELECT scenario_id, scheduler, machine_ranks, job_id, app, app_group, ranks, start_s, end_s
FROM pim_ranks_timeline
WHERE set_name = 'W3' AND jobs = 24 AND batch = 0 AND member = 'measured_shapes/0000'
    AND scheduler IN ('se_full', 'se_opt', 'sm_opt_fcfs', 'sm_opt_ooo', 'pim_care')
ORDER BY scenario_id, start_s, job_id;
