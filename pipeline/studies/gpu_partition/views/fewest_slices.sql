-- How many GPUs each set of models needs whole and in slices, where each model keeps its rate and latency; docs/models/gpu_partition-slices.md.
-- trace: trace
-- trace_kind: measured on a machine, or generated
-- demand: set of models
-- apps: models of the set [1]
-- method: optimum, or heuristic where the search ended without one; null = a model is served in time by no slice
-- gpus: fewest GPUs [1]
-- sevenths: sevenths of them in use [1]
-- slices: slices [1]
-- processes: processes that share them [1]
-- gpus_heuristic: GPUs that the heuristic needs [1]
-- gpus_single_process: fewest GPUs with one process per slice; null = not every model is served so [1]
-- gpus_whole: GPUs where each model has whole ones to itself; null = not every model is served so [1]
-- saved: GPUs saved against whole ones, as a share [1]
-- unmet: models that no slice serves in time; null = all are kept
CREATE VIEW fewest_slices AS
WITH by_method AS (
    SELECT
        trace, demand, max(apps) AS apps, max(unmet) AS unmet,
        max(gpus) FILTER (method = 'optimum') AS optimum,
        max(gpus) FILTER (method = 'heuristic') AS gpus_heuristic,
        max(gpus) FILTER (method = 'single_process') AS gpus_single_process,
        max(gpus) FILTER (method = 'whole_gpus') AS gpus_whole
    FROM slice_need
    GROUP BY ALL
)
SELECT
    b.trace, trace.kind AS trace_kind, b.demand, b.apps, best.method, best.gpus, best.sevenths, best.slices,
    best.processes, gpus_heuristic, gpus_single_process, gpus_whole, 1 - best.gpus / gpus_whole AS saved, b.unmet
FROM by_method AS b
JOIN trace USING (trace)
LEFT JOIN slice_need AS best
    ON (best.trace, best.demand, best.method)
    = (b.trace, b.demand, CASE WHEN optimum IS NULL THEN 'heuristic' ELSE 'optimum' END) AND best.gpus IS NOT NULL
ORDER BY b.trace, b.demand;
