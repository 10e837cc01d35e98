-- Schedules of a few applications under the paper's five schedulers, and the shortest possible one (paper, Figure 7): a set
-- W1 of 5 jobs, the first batch with the first admissible table. The paper's figure is a sketch without numbers.
-- scenario_id: scenario
-- scheduler: scheduler; optimal has the least makespan
-- machine_ranks: ranks of the machine [1]
-- job_id: job
-- app: application
-- app_group: 1 (BS, GEMV, MLP, TS) or 2 (Table 2)
-- ranks: ranks granted [1]
-- start_s: start [s]
-- end_s: end [s]
CREATE VIEW fig_pim_ranks_7 AS
SELECT scenario_id, scheduler, machine_ranks, job_id, app, app_group, ranks, start_s, end_s
FROM pim_ranks_timeline
WHERE set_name = 'W1' AND jobs = 5 AND batch = 0 AND member = 'measured_shapes/0000'
    AND scheduler IN ('se_full', 'se_opt', 'sm_opt_fcfs', 'sm_opt_ooo', 'pim_care', 'optimal')
ORDER BY scenario_id, start_s, job_id;
