/*
source: "IPDPS 2019, Section V-E, Figure 7"
statement: Of the pairs with RG, BS-RG and RG-GS gain most, MM-RG and RG-TR less.
unit: yes/no
paper_value: 1
kind: yes_no
pooled: {default: ""}
configuration: the lesser gain over MPS of BS-RG and RG-GS is above the larger one of MM-RG and RG-TR; admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is over all models, a machine with a draw each, at the equal split
differs: Open, as it depends on how early each kernel saturates, which the paper does not print. It holds in few models. In the mean RG-TR gains about as much as RG-GS and more than BS-RG, as TR needs few SMs.
evidence: |
  SELECT avg(gain_over_mps) FILTER (pair = 'RG-TR') > avg(gain_over_mps) FILTER (pair = 'BS-RG') AS holds, avg(gain_over_mps) FILTER (pair = 'RG-TR') AS rg_tr,
    avg(gain_over_mps) FILTER (pair = 'BS-RG') AS bs_rg, avg(gain_over_mps) FILTER (pair = 'GS-RG') AS gs_rg, avg(gain_over_mps) FILTER (pair = 'MM-RG') AS mm_rg
  FROM gpu_corun_claim WHERE setting = 'default' AND kind = 'pair'
scenarios: gpu_corun_result WHERE machine IS NOT NULL AND sms = 30 AND kind = 'pair' AND (scheduler = 'mps' OR scheduler = 'slate' AND symmetry = 'printed' AND task_size = 10)
*/
WITH judged AS (
    SELECT
        setting, replicate,
        min(gain_over_mps) FILTER (pair IN ('BS-RG', 'GS-RG')) > max(gain_over_mps) FILTER (pair IN ('MM-RG', 'RG-TR')) AS value
    FROM gpu_corun_claim
    WHERE kind = 'pair' AND pair IN ('BS-RG', 'GS-RG', 'MM-RG', 'RG-TR') AND setting <> 'default'
    GROUP BY ALL
    HAVING count(*) = 4
)
SELECT setting, replicate, value FROM judged
UNION ALL
SELECT 'default', setting || '/' || replicate, value FROM judged WHERE setting LIKE '%/equal'
