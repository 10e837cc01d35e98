-- Slices of partitioned GPUs that serve each set of models of a trace at their rates and in time, a row per slice: the
-- optimum, or the heuristic where none was found. A name that is not there is an error.
-- trace: trace
-- demand: set of models
-- method: optimum or heuristic
-- gpus: GPUs in all [1]
-- gpus_whole: GPUs where each model has whole ones to itself [1]
-- gpu: GPU, from 1
-- position: slice of the GPU, from 1, the largest first
-- app: model that it serves
-- slices: sevenths of the GPU [1]
-- batch: requests of a batch [1]
-- processes: processes that share the slice [1]
-- rate_per_s: requests a second that it can serve [1/s]
-- latency_s: time of a batch in service [s]
CREATE MACRO best_slices(trace_name) AS TABLE
SELECT
    trace, demand, method, fewest_slices.gpus, gpus_whole, slice_plan.gpu, slice_plan.position, slice_plan.app,
    slice_plan.slices, slice_plan.batch, slice_plan.processes, slice_plan.rate_per_s, slice_plan.latency_s
FROM fewest_slices
JOIN slice_plan USING (trace, demand, method)
WHERE trace = known_name(trace_name, (SELECT list(DISTINCT trace) FROM slice_need), 'trace')
ORDER BY demand, slice_plan.gpu, slice_plan.position;
