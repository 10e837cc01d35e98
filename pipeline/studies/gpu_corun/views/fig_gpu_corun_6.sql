-- Time of each application alone under each scheduler, in parts, with the documented parameters (paper, Figure 6, whose bars have
-- no numbers but those of GS).
-- kernel: kernel
-- scheduler: scheduler
-- part: 1 kernel, 2 host (set-up), 3 overhead of the scheduler
-- time_s: time of the part [s]
-- from_s: where the part begins when the parts are stacked in this order [s]
-- until_s: where it ends [s]
-- printed_kernel_s: kernel time that the paper prints (Table III); null = not printed [s]
CREATE VIEW fig_gpu_corun_6 AS
WITH parts AS (
    SELECT
        kernel, scheduler,
        unnest([
            {'part': '1 kernel', 'time_s': kernel_end_s - start_s},
            {'part': '2 host', 'time_s': start_s},
            {'part': '3 overhead', 'time_s': end_s - kernel_end_s}
        ], recursive := true)
    FROM outcome_gpu_corun
    JOIN gpu_corun_result USING (scenario_id)
    WHERE kind = 'alone' AND model_id = 'default' AND sms = 30 AND split = 'equal' AND symmetry = 'printed'
        AND task_size = 10 AND NOT cached AND scheduler <> 'optimal'
)
SELECT
    kernel, scheduler, part, time_s,
    sum(time_s) OVER (PARTITION BY kernel, scheduler ORDER BY part) - time_s AS from_s,
    sum(time_s) OVER (PARTITION BY kernel, scheduler ORDER BY part) AS until_s,
    CASE
        WHEN part <> '1 kernel' OR kernel <> 'GS' THEN NULL
        WHEN scheduler = 'cuda' THEN 24.7::DOUBLE
        WHEN scheduler = 'slate' THEN 18.9::DOUBLE
    END AS printed_kernel_s
FROM parts
ORDER BY kernel, scheduler, part;
