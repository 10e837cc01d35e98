/*
source: "IPDPS 2019, Section V-D, Figure 6"
statement: In the worst case an application alone takes under Slate what it takes under CUDA and MPS.
unit: yes/no
paper_value: 1
kind: always
pooled: {default: ""}
configuration: each of the five alone takes at most 1 % more time than under either; what MPS takes more than CUDA alone, and overheads outside the kernel, are inputs; admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is over all models, a machine with a draw each, at the equal split; further settings are 0.5 and 5 % for the 1 %
differs: Two statements of the paper exclude each other. BS takes 5 % more kernel time alone (Section V-B), and Slate adds time outside the kernel (Section V-D). So BS cannot be as fast as under CUDA. It takes about a tenth longer.
evidence: |
  SELECT max(gain_over_cuda) FILTER (pair = 'BS') < -0.01 AND min(gain_over_cuda) FILTER (pair <> 'BS') > min(gain_over_cuda) FILTER (pair = 'BS') AS holds,
    avg(gain_over_cuda) FILTER (pair = 'BS') AS bs, min(gain_over_cuda) FILTER (pair <> 'BS') AS least_of_the_others
  FROM gpu_corun_claim WHERE setting = 'default' AND kind = 'alone'
scenarios: gpu_corun_result WHERE machine IS NOT NULL AND sms = 30 AND kind = 'alone' AND (scheduler IN ('cuda', 'mps') OR scheduler = 'slate' AND symmetry = 'printed' AND task_size = 10)
*/
WITH threshold (most, named) AS (VALUES (1.01, NULL), (1.005, 'the same up to 0.5 %'), (1.05, 'the same up to 5 %')),
judged AS (
    SELECT
        setting, replicate, named,
        bool_and(gain_over_cuda >= 1 / most - 1 AND gain_over_mps >= 1 / most - 1) AND bool_or(gain_over_cuda <> 0) AS value
    FROM gpu_corun_claim CROSS JOIN threshold
    WHERE kind = 'alone' AND setting <> 'default' AND (named IS NULL OR setting LIKE '%/equal')
    GROUP BY ALL
    HAVING count(*) = 5
)
SELECT setting, replicate, value FROM judged WHERE named IS NULL
UNION ALL
SELECT coalesce(named, 'default'), setting || '/' || replicate, value FROM judged WHERE setting LIKE '%/equal'
