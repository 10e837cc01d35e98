-- Measures of each scenario of gpu_corun beside those of CUDA and of MPS on the same applications, kernels and machine.
-- scenario_id: scenario
-- workload: workload without its batch; rows of one workload differ in the batch, model, machine and scheduler
-- kind: pair, alone, measured (a pair that its trace measured), drawn or queue
-- pair: names of the two, as BS-RG; of one alone its name; null for queues
-- trace: trace that the kernels come from; null = published
-- origin: published, measured, generated or given
-- batch: batch
-- arrival: queued, poisson or traced
-- load: offered load of Poisson arrivals [1]
-- applications: applications
-- model_id: model of the kernels: default, an admissible draw, or a trace
-- machine: machine of the draw; null where it is none
-- draw: draw of kernels on that machine; null where it is none
-- sms: streaming multiprocessors [1]
-- gpu: card that classes and bandwidth are of; null = not named
-- gpu_origin: published, stated, looked_up, measured (by its kernels' rates) or assumed
-- loop_origin: where the lengths of the loops come from: published, stated, measured or assumed; the least certain of them
-- loop_share: loop over loop and set-up, alone; the least of its applications [1]
-- scheduler: scheduler
-- split: how two kernels under Slate share the SMs
-- symmetry: how Slate reads Table I
-- task_size: blocks a task of Slate [1]
-- cached: whether of the runs of a kernel the first alone pays for injection
-- is_default: whether these four are the study's defaults: equal, printed, 10, false
-- makespan_s: last end of an application since the first arrival; the paper calls it ANTT for pairs [s]
-- kernel_makespan_s: last end of a kernel since the first is ready: the paper's kernel time of a pair [s]
-- antt: mean of T / T alone under CUDA: the standard average normalised turnaround time; below is better [1]
-- stp: sum of T alone under CUDA / T: the standard system throughput; above is better [1]
-- gain_over_cuda: makespan of CUDA over this one, less one [1]
-- gain_over_mps: makespan of MPS over this one, less one [1]
-- kernel_gain_over_mps: kernel makespan of MPS over this one, less one [1]
-- gflops: operations of all loops, as profiled alone, over kernel_makespan_s [GFLOP/s]
-- memory_gbps: memory that they read and write, likewise [GB/s]
-- corun: whether any ran beside another
CREATE VIEW gpu_corun_result AS
WITH measures AS (
    PIVOT (SELECT * FROM metric WHERE scenario_id IN (SELECT scenario_id FROM scenario WHERE study = 'gpu_corun'))
    ON metric IN ('makespan_s', 'kernel_makespan_s', 'antt', 'stp')
    USING first(value) GROUP BY scenario_id
),
length AS (
    SELECT
        workload_id, model_id,
        min(coalesce(loop_s, 30) / (coalesce(loop_s, 30) + coalesce(setup_s, 3))) AS loop_share,
        sum(gflops * coalesce(loop_s, 30)) AS operations, sum(memory_gbps * coalesce(loop_s, 30)) AS accessed_gb,
        arg_max(loop_origin, list_position(['published', 'stated', 'measured', 'assumed'], loop_origin)) AS loop_origin
    FROM queue_gpu_corun JOIN kernel_gpu_corun USING (kernel)
    GROUP BY ALL
),
sharing AS (
    SELECT scenario_id, bool_or("mode" = 'corun') AS corun FROM outcome_gpu_corun GROUP BY scenario_id
),
ours AS (
    SELECT
        scenario.*, measures.* EXCLUDE (scenario_id), corun, concat_ws('/', gpu, peak_gflops, bandwidth_gbps) AS card
    FROM scenario JOIN measures USING (scenario_id) JOIN sharing USING (scenario_id)
),
cuda AS (
    SELECT workload_id, model_id, sms, card, makespan_s FROM ours WHERE scheduler = 'cuda'
),
mps AS (
    SELECT workload_id, model_id, sms, card, makespan_s, kernel_makespan_s FROM ours WHERE scheduler = 'mps'
)
SELECT
    ours.scenario_id,
    family AS workload,
    kind, pair, trace, origin, batch, arrival, load, applications,
    ours.model_id,
    nullif(regexp_extract(ours.model_id, '^(m[0-9]+)/k[0-9]+$', 1), '') AS machine,
    nullif(regexp_extract(ours.model_id, '^m[0-9]+/(k[0-9]+)$', 1), '') AS draw,
    ours.sms, ours.gpu, ours.gpu_origin, loop_origin, loop_share, ours.scheduler, ours.split, ours.symmetry, ours.task_size, ours.cached,
    ours.split = 'equal' AND ours.symmetry = 'printed' AND ours.task_size = 10 AND NOT ours.cached AS is_default,
    ours.makespan_s, ours.kernel_makespan_s, ours.antt, ours.stp,
    cuda.makespan_s / ours.makespan_s - 1 AS gain_over_cuda,
    mps.makespan_s / ours.makespan_s - 1 AS gain_over_mps,
    mps.kernel_makespan_s / ours.kernel_makespan_s - 1 AS kernel_gain_over_mps,
    operations / ours.kernel_makespan_s AS gflops, accessed_gb / ours.kernel_makespan_s AS memory_gbps,
    ours.corun
FROM ours
JOIN workload_gpu_corun USING (workload_id)
LEFT JOIN length USING (workload_id, model_id)
LEFT JOIN cuda USING (workload_id, model_id, sms, card)
LEFT JOIN mps USING (workload_id, model_id, sms, card);
