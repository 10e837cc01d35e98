-- SMs and speed over time of the pairs of published kernels under each scheduler, with the documented parameters.
-- scenario_id: scenario
-- pair: names of the two
-- scheduler: scheduler
-- position: 0 for the application that is active first
-- kernel: kernel
-- start_s: from [s]
-- end_s: until [s]
-- sms: streaming multiprocessors it has [1]
-- machine_sms: streaming multiprocessors of the machine [1]
-- speed: progress over that alone under CUDA [1]
CREATE VIEW fig_gpu_corun_timeline AS
SELECT
    scenario_id, pair, scheduler, "position", kernel, start_s, end_s, timeline_gpu_corun.sms,
    gpu_corun_result.sms AS machine_sms, speed
FROM timeline_gpu_corun JOIN gpu_corun_result USING (scenario_id)
WHERE gpu_corun_result.sms = 30 AND split = 'equal' AND symmetry = 'printed' AND task_size = 10 AND NOT cached
ORDER BY pair, scheduler, "position", start_s;
