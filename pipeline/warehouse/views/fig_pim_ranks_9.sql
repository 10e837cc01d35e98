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
SELECT
    scenario_id, scenario.scheduler, scenario.ranks AS machine_ranks, job_id, app,
    CASE WHEN app IN ('BS', 'GEMV', 'MLP', 'TS') THEN 1 ELSE 2 END AS app_group,
    outcome.ranks, start_s, end_s
FROM outcome_pim_ranks AS outcome
JOIN scenario USING (scenario_id)
JOIN queue_pim_ranks USING (workload_id, job_id)
JOIN pim_ranks_paper AS paper USING (scenario_id)
WHERE paper.set_name = 'W3' AND paper.jobs = 24 AND paper.batch = 0 AND paper.member = 'admissible/0000'
    AND paper.scheduler IN ('se_full', 'se_opt', 'sm_opt_fcfs', 'sm_opt_ooo', 'pim_care')
ORDER BY scenario_id, start_s, job_id;
