-- Kernel time alone under Slate against the task size, over that under CUDA, with the documented parameters (paper, Figure 5).
-- kernel: kernel
-- task_size: blocks a task [1]
-- time_over_cuda: kernel time alone under Slate over that under CUDA [1]
-- printed: the same as the text of the paper gives it; null = not printed [1]
CREATE VIEW fig_gpu_corun_5 AS
WITH printed(kernel, task_size, printed) AS (
    VALUES ('BS', 1, 1 / 1.02), ('BS', 10, 1 / 0.95), ('GS', 1, 2 / 1.28), ('GS', 10, 1 / 1.28)
),
alone AS (
    SELECT pair AS kernel, scheduler, task_size, kernel_makespan_s
    FROM gpu_corun_result
    WHERE kind = 'alone' AND model_id = 'default' AND sms = 30 AND split = 'equal' AND symmetry = 'printed' AND NOT cached
)
SELECT kernel, slate.task_size, slate.kernel_makespan_s / cuda.kernel_makespan_s AS time_over_cuda, printed
FROM alone AS slate
JOIN (SELECT kernel, kernel_makespan_s FROM alone WHERE scheduler = 'cuda') AS cuda USING (kernel)
LEFT JOIN printed USING (kernel, task_size)
WHERE scheduler = 'slate'
ORDER BY kernel, task_size;
