/*
source: "IPDPS 2019, Section V-E, Figure 7"
statement: Slate outperforms CUDA on all the pairings, and MPS on all but one.
unit: yes/no
parts: {CUDA on all: always, MPS on all but one: always}
kind: always
pooled: {default: ""}
configuration: the gain is above 0 on each of the 15 pairs over CUDA, on exactly 14 over MPS; admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is over all models, a machine with a draw each, at the equal split
differs: BS is 5 % slower alone under Slate (Section V-B, put into the model). So BS-BS, one after the other, is behind CUDA and MPS on every machine that was drawn.
evidence: |
  SELECT avg((gain_over_cuda <= 0)::INT) FILTER (pair = 'BS-BS') > 0.9 AS holds, avg((gain_over_cuda <= 0)::INT) FILTER (pair = 'BS-BS') AS bs_bs_behind_cuda,
    avg((gain_over_cuda <= 0)::INT) FILTER (pair = 'BS-MM') AS bs_mm_behind_cuda, avg((gain_over_mps <= 0)::INT) FILTER (pair = 'BS-BS') AS bs_bs_behind_mps
  FROM gpu_corun_claim WHERE setting = 'default' AND kind = 'pair'
scenarios: gpu_corun_result WHERE machine IS NOT NULL AND sms = 30 AND kind = 'pair' AND (scheduler IN ('cuda', 'mps') OR scheduler = 'slate' AND symmetry = 'printed' AND task_size = 10)
*/
WITH judged AS (
    SELECT
        setting, replicate, bool_and(gain_over_cuda > 0) AS "CUDA on all",
        count(*) FILTER (gain_over_mps > 0) = 14 AS "MPS on all but one"
    FROM gpu_corun_claim
    WHERE kind = 'pair' AND setting <> 'default'
    GROUP BY ALL
    HAVING count(*) = 15
),
said AS (UNPIVOT judged ON "CUDA on all", "MPS on all but one" INTO NAME part VALUE value)
SELECT setting, part, replicate, value FROM said
UNION ALL
SELECT 'default', part, setting || '/' || replicate, value FROM said WHERE setting LIKE '%/equal'
