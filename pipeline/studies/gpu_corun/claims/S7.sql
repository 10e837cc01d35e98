/*
source: "IPDPS 2019, Section V-E, Figure 7"
statement: MM-BS is the only pair on which Slate is behind MPS, by 2 %.
unit: share
parts: {gain of MM-BS: -0.02, MM-BS is behind and no other pair is: yes}
main: [MM-BS is behind and no other pair is]
digit: 0.01
kind: value
pooled: {default: ""}
configuration: MPS's makespan over Slate's, less one; the second part is the share of replicates in which MM-BS is below 0 and no other pair is; admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is at the equal split over machines, each with the mean over its draws, a statement is judged over all models, a machine with a draw each, at the equal split
differs: Two statements of the paper exclude each other in this model. If BS loses 5 % alone under Slate (Section V-B), then BS-BS, which runs one after the other, is behind MPS. So is BS-TR, where TR gains little alone. MM-BS itself is behind, as printed.
evidence: |
  SELECT avg((gain_over_mps < 0)::INT) FILTER (pair = 'BS-BS') > 0.9 AS holds, avg((gain_over_mps < 0)::INT) FILTER (pair = 'BS-BS') AS bs_bs_behind,
    avg((gain_over_mps < 0)::INT) FILTER (pair = 'BS-TR') AS bs_tr_behind, avg((gain_over_mps < 0)::INT) FILTER (pair = 'BS-MM') AS bs_mm_behind
  FROM gpu_corun_claim WHERE setting = 'default' AND kind = 'pair'
scenarios: gpu_corun_result WHERE machine IS NOT NULL AND sms = 30 AND kind = 'pair' AND (scheduler = 'mps' OR scheduler = 'slate' AND symmetry = 'printed' AND task_size = 10)
*/
WITH behind AS (
    SELECT
        setting, replicate,
        max(gain_over_mps) FILTER (pair = 'BS-MM') AS gain,
        count(*) FILTER (gain_over_mps < 0 AND pair <> 'BS-MM') AS others
    FROM gpu_corun_claim
    WHERE kind = 'pair'
    GROUP BY ALL
    HAVING count(*) = 15
)
SELECT setting, 'gain of MM-BS' AS part, replicate, gain AS value FROM behind
UNION ALL
SELECT setting, 'MM-BS is behind and no other pair is', replicate, (gain < 0 AND others = 0)::INT
FROM behind
WHERE setting <> 'default'
UNION ALL
SELECT 'default', 'MM-BS is behind and no other pair is', setting || '/' || replicate, (gain < 0 AND others = 0)::INT
FROM behind
WHERE setting LIKE '%/equal'
