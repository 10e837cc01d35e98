-- What each replay of gpu_corun repeats: comparable_run has those of all studies.
-- scenario_id: scenario
-- workload: workload without its replicate
-- replicate: batch
CREATE VIEW comparable_gpu_corun AS
SELECT
    scenario_id,
    family || CASE WHEN regexp_matches(model_id, '^m[0-9]+/') THEN ' (admissible models)' ELSE '' END AS workload,
    'batch ' || batch AS replicate
FROM scenario JOIN workload_gpu_corun USING (workload_id)
WHERE study = 'gpu_corun';
