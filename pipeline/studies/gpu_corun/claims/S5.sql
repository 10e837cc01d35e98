/*
source: "IPDPS 2019, Section V-E, Figure 7"
statement: The best case is the pair RG-GS, which Slate makes 35 % faster than MPS does.
unit: share
parts: {gain of RG-GS: 0.35, RG-GS is the best pair: 1}
digit: 0.01
kind: value
pooled: {default: ""}
configuration: MPS's makespan over Slate's, less one; the second part is the share of replicates in which no pair gains more; admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is at the equal split over machines, each with the mean over its draws
differs: The model has no L2 or instruction issue that RG could compete for with TR or with itself, so that on most machines RG-TR or RG-RG gains more than RG-GS does, whose gain is above the printed one.
scenarios: gpu_corun_result WHERE machine IS NOT NULL AND sms = 30 AND kind = 'pair' AND (scheduler = 'mps' OR scheduler = 'slate' AND symmetry = 'printed' AND task_size = 10)
*/
WITH best AS (
    SELECT
        setting, replicate,
        max(gain_over_mps) FILTER (pair = 'GS-RG') AS gain,
        max(gain_over_mps) AS largest
    FROM gpu_corun_claim
    WHERE kind = 'pair'
    GROUP BY ALL
    HAVING count(*) = 15
)
SELECT setting, 'gain of RG-GS' AS part, replicate, gain AS value FROM best
UNION ALL
SELECT setting, 'RG-GS is the best pair', replicate, (gain = largest)::INT FROM best
