-- What a replay repeats: the workload that is asked about, and which of its independent repetitions the replay is. Runs of
-- two schedulers are a pair where workload_id and parameters are the same; their differences are averaged within a
-- replicate, and the interval is over replicates.
-- scenario_id: scenario
-- study: study
-- scheduler: scheduler
-- workload_id: workload
-- workload: workload without its replicate
-- replicate: batch, or task set; of ensembles the member; of a trace's curves the mix; of graphs the source
CREATE VIEW comparable_run AS
SELECT scenario_id, study, scheduler, workload_id, workload, replicate
FROM ({each study: FROM comparable_*}) JOIN scenario USING (scenario_id);
