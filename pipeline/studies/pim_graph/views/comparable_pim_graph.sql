-- What each replay of pim_graph repeats: comparable_run has those of all studies.
-- scenario_id: scenario
-- workload: graph and number of roots
-- replicate: source
CREATE VIEW comparable_pim_graph AS
SELECT scenario_id, format('{}, {} roots', workload_id, len(root)) AS workload, 'source ' || seed AS replicate
FROM scenario JOIN workload_pim_graph USING (workload_id)
WHERE study = 'pim_graph';
