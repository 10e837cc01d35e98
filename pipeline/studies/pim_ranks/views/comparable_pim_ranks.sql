-- What each replay of pim_ranks repeats: comparable_run has those of all studies.
-- scenario_id: scenario
-- workload: workload without its replicate
-- replicate: batch with all of its tables: tables are what is not known, batches are independent
CREATE VIEW comparable_pim_ranks AS
SELECT
    scenario_id,
    regexp_replace(family, '/measured_shapes/.*', '')
        || coalesce(' (' || nullif(regexp_extract(table_id, '^(measured_shapes)/', 1), '') || ' tables)', '')
        AS workload,
    'batch ' || batch AS replicate
FROM scenario JOIN workload_pim_ranks USING (workload_id)
WHERE study = 'pim_ranks';
