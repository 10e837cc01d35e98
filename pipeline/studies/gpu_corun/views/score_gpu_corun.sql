-- What recommends a scheduler in gpu_corun: throughput, applications / makespan. Slate splits the SMs equally, reads Table I as printed and has
-- tasks of 10 blocks; optimal, which tries everything, is left out. Kernels have the documented parameters. Pairs that were measured are
-- compared with the measurement and recommend nothing.
-- study: study
-- question: number of the question
-- trace: published, or the trace that the kernels come from
-- kind: pair, drawn or queue
-- pair: names of the two; null for queues
-- arrival: queued, poisson or traced
-- load: offered load of Poisson arrivals [1]
-- applications: applications [1]
-- sms: SMs of the GPU [1]
-- gpu: card that classes and bandwidth are of; null = not named
-- gpu_origin: where its numbers come from
-- loop_origin: where the lengths of the loops come from
-- loop_share: loop over loop and set-up, alone; the least of its applications [1]
-- antt: standard average normalised turnaround time [1]
-- corun: whether any ran beside another
-- scheduler: scheduler
-- replicate: batch
-- drawn: whether replicates are drawn at random
-- score: log of the throughput over that of CUDA [1]
CREATE VIEW score_gpu_corun AS
SELECT
    'gpu_corun' AS study,
    hash(coalesce(trace, ''), kind, pair, arrival, load, applications, sms, gpu, gpu_origin) AS question,
    coalesce(trace, 'published') AS trace, kind, pair, arrival, load, applications, sms, gpu, gpu_origin, loop_origin,
    loop_share, antt, corun,
    scheduler, batch::VARCHAR AS replicate, kind = 'drawn' AS drawn, ln(1 + gain_over_cuda) AS score
FROM gpu_corun_result
WHERE machine IS NULL AND kind NOT IN ('alone', 'measured') AND scheduler <> 'optimal' AND symmetry = 'printed' AND task_size = 10 AND NOT cached
    AND split = 'equal';
