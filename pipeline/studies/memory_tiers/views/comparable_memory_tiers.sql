-- What each replay of memory_tiers repeats: comparable_run has those of all studies.
-- scenario_id: scenario
-- workload: workload without its replicate
-- replicate: batch
CREATE VIEW comparable_memory_tiers AS
SELECT scenario_id, family AS workload, 'batch ' || batch AS replicate
FROM scenario JOIN workload_memory_tiers USING (workload_id)
WHERE study = 'memory_tiers';
