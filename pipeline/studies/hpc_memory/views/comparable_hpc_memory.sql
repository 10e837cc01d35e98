-- What each replay of hpc_memory repeats: comparable_run has those of all studies.
-- scenario_id: scenario
-- workload: workload without its replicate
-- replicate: batch
CREATE VIEW comparable_hpc_memory AS
SELECT scenario_id, family AS workload, 'batch ' || batch AS replicate
FROM scenario JOIN workload USING (workload_id)
WHERE study = 'hpc_memory' AND NOT timeline;
