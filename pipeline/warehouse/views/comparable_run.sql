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
SELECT scenario_id, study, scheduler, workload_id, family AS workload, 'batch ' || batch AS replicate
FROM scenario JOIN workload USING (workload_id)
WHERE study = 'hpc_memory' AND NOT timeline
UNION ALL
-- Tables are what is not known, batches are independent: a replicate is a batch with all of its tables.
SELECT
    scenario_id, study, scheduler, workload_id,
    regexp_replace(family, '/admissible(_figure_2)?/.*', '')
        || coalesce(' (' || nullif(regexp_extract(table_id, '^(admissible(_figure_2)?)/', 1), '') || ' tables)', ''),
    'batch ' || batch
FROM scenario JOIN workload_pim_ranks USING (workload_id)
WHERE study = 'pim_ranks'
UNION ALL
SELECT
    scenario_id, study, scheduler, workload_id,
    family || CASE WHEN regexp_matches(model_id, '^m[0-9]+/') THEN ' (admissible models)' ELSE '' END,
    'batch ' || batch
FROM scenario JOIN workload_gpu_corun USING (workload_id)
WHERE study = 'gpu_corun'
UNION ALL
-- Members of an ensemble are independent, the mixes of one are not.
SELECT
    scenario_id, study, scheduler, workload_id,
    concat_ws('/', kind, coalesce(trace_id, string_split(curve_set, '/')[1]), applications || ' applications'),
    coalesce('member ' || member, mix)
FROM scenario JOIN workload_gpu_sharing USING (workload_id)
WHERE study = 'gpu_sharing'
UNION ALL
SELECT scenario_id, study, scheduler, workload_id, family, 'set ' || batch
FROM scenario JOIN workload_gpu_partition USING (workload_id)
WHERE study = 'gpu_partition'
UNION ALL
SELECT scenario_id, study, scheduler, workload_id, workload_id, 'source ' || seed
FROM scenario JOIN workload_pim_graph USING (workload_id)
WHERE study = 'pim_graph';
