-- Ranks over time of every job in the paper's configuration (sets W1 to W5, all queued at 0, 30 ranks).
-- scenario_id: scenario
-- scheduler: scheduler
-- set_name: set, W1 to W5
-- jobs: jobs of the set
-- batch: batch
-- member: admissible table
-- machine_ranks: ranks of the machine [1]
-- job_id: job
-- app: application
-- app_group: 1 (BS, GEMV, MLP, TS) or 2 (Table 2)
-- ranks: ranks granted [1]
-- start_s: start [s]
-- end_s: end [s]
CREATE VIEW pim_ranks_timeline AS
SELECT
    scenario_id, scenario.scheduler, set_name, paper.jobs, batch, member, scenario.ranks AS machine_ranks, job_id, app,
    CASE WHEN app IN ('BS', 'GEMV', 'MLP', 'TS') THEN 1 ELSE 2 END AS app_group,
    outcome.ranks, start_s, end_s
FROM outcome_pim_ranks AS outcome
JOIN scenario USING (scenario_id)
JOIN queue_pim_ranks USING (workload_id, job_id)
JOIN pim_ranks_paper AS paper USING (scenario_id);
