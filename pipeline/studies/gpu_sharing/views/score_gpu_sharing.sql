-- What recommends a scheduler in gpu_sharing: system speed-up (gpu_sharing_speedup), of the policies that slow no application
-- down on average.
-- study: study
-- question: number of the question
-- trace: trace that the curves come from, or ensemble
-- kind: mixes (all or drawn) or stated (by a trace)
-- applications: applications a mix [1]
-- sms: SMs of the GPU [1]
-- scheduler: scheduler
-- replicate: member of an ensemble, else mix
-- drawn: whether replicates are drawn at random
-- score: log of the system speed-up [1]
-- least: log of the speed-up of the application that gains least [1]
-- mixes: mixes that score and least are means over [1]
-- slows: whether the scheduler slows an application down on average over the replicates
CREATE VIEW score_gpu_sharing AS
FROM gpu_sharing_speedup WHERE NOT slows;
