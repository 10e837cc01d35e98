/*
source: "IPDPS 2019, Section V-D, Figure 6"
statement: Alone, an application takes under Slate at worst what it takes under CUDA and MPS, and under MPS slightly more than under CUDA.
unit: yes/no
parts: {Slate is never behind: 1, MPS is slightly behind CUDA: 1}
kind: yes_no
pooled: {default: ""}
configuration: each of the five alone; never behind is at most 1 % more time than under either, slightly is between 0 and 5 % more for each; overheads outside the kernel are inputs; admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is at the equal split over machines, each with the mean over its draws
differs: "Two statements of the paper exclude each other: with 5 % more kernel time alone (Section V-B), and the time that Slate adds outside the kernel, BS cannot be as fast as under CUDA."
scenarios: gpu_corun_result WHERE machine IS NOT NULL AND sms = 30 AND kind = 'alone' AND (scheduler IN ('cuda', 'mps') OR scheduler = 'slate' AND symmetry = 'printed' AND task_size = 10)
*/
SELECT
    setting, 'Slate is never behind' AS part, replicate,
    bool_and(gain_over_cuda >= 1 / 1.01 - 1 AND gain_over_mps >= 1 / 1.01 - 1) AS value
FROM gpu_corun_claim WHERE kind = 'alone'
GROUP BY ALL
HAVING count(*) = 5
UNION ALL
SELECT setting, 'MPS is slightly behind CUDA', replicate, bool_and(mps_over_cuda < 0 AND mps_over_cuda >= 1 / 1.05 - 1)
FROM gpu_corun_claim WHERE kind = 'alone'
GROUP BY ALL
HAVING count(*) = 5
