/*
source: "IPDPS 2019, Section V-E"
statement: All pairs that gain less than 10 % over MPS run one after the other.
unit: yes/no
paper_value: 1
kind: always
pooled: {default: ""}
configuration: holds in a case where some pair ran side by side and each that did gains 10 % or more (MPS's makespan over Slate's, less one); a case is a machine with a draw of kernels, one by one and not in the mean; admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is at the equal split
differs: Open, as it depends on how early each kernel saturates, which the paper does not print. It holds in most models. In the others a pair beside RG, which runs side by side, gains less than 10 %.
evidence: |
  SELECT avg((corun AND gain_over_mps < 0.1)::INT) > 0 AS holds, avg((corun AND gain_over_mps < 0.1)::INT) AS share_of_pairs_and_cases,
    avg((gain_over_mps < 0.1)::INT) FILTER (corun AND pair = 'MM-RG') AS mm_rg, avg((gain_over_mps < 0.1)::INT) FILTER (corun AND pair = 'RG-RG') AS rg_rg,
    avg((gain_over_mps < 0.1)::INT) FILTER (corun AND pair = 'BS-RG') AS bs_rg
  FROM gpu_corun_claim WHERE kind = 'pair' AND setting LIKE '%/equal'
scenarios: gpu_corun_result WHERE machine IS NOT NULL AND sms = 30 AND kind = 'pair' AND (scheduler = 'mps' OR scheduler = 'slate' AND symmetry = 'printed' AND task_size = 10)
*/
WITH judged AS (
    SELECT setting, replicate, bool_and(NOT corun OR gain_over_mps >= 0.1) AND bool_or(corun) AS value
    FROM gpu_corun_claim
    WHERE kind = 'pair' AND setting <> 'default'
    GROUP BY ALL
    HAVING count(*) = 15
)
SELECT setting, replicate, value FROM judged
UNION ALL
SELECT 'default', setting || '/' || replicate, value FROM judged WHERE setting LIKE '%/equal'
