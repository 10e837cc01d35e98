-- What each replay of gpu_sharing repeats: comparable_run has those of all studies.
-- scenario_id: scenario
-- workload: workload without its replicate
-- replicate: member of an ensemble, else mix: members are independent, the mixes of one are not
CREATE VIEW comparable_gpu_sharing AS
SELECT
    scenario_id,
    concat_ws('/', kind, coalesce(trace, string_split(curve_set, '/')[1]), applications || ' applications') AS workload,
    coalesce('member ' || member, mix) AS replicate
FROM scenario JOIN workload_gpu_sharing USING (workload_id)
WHERE study = 'gpu_sharing';
