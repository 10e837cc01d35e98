-- What each replay of gpu_partition repeats: comparable_run has those of all studies.
-- scenario_id: scenario
-- workload: workload without its replicate
-- replicate: task set
CREATE VIEW comparable_gpu_partition AS
SELECT scenario_id, family AS workload, 'set ' || batch AS replicate
FROM scenario JOIN workload_gpu_partition USING (workload_id)
WHERE study = 'gpu_partition';
