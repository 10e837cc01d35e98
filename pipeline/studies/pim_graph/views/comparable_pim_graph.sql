-- What each replay of pim_graph repeats: comparable_run has those of all studies.
-- scenario_id: scenario
-- workload: workload without its replicate
-- replicate: source
CREATE VIEW comparable_pim_graph AS
SELECT scenario_id, workload_id AS workload, 'source ' || seed AS replicate
FROM scenario JOIN workload_pim_graph USING (workload_id)
WHERE study = 'pim_graph';
