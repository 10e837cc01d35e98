/*
source: "IPDPS 2019, Section V-E"
statement: GS-GS gains 24 % over MPS although the two run one after the other.
unit: share
parts: {gain of GS-GS: 0.24, GS-GS ran one after the other: 1}
digit: 0.01
kind: value
pooled: {default: ""}
configuration: MPS's makespan over Slate's, less one; GS's speed alone under Slate is an input; admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is at the equal split over machines, each with the mean over its draws
scenarios: gpu_corun_result WHERE machine IS NOT NULL AND sms = 30 AND pair = 'GS-GS' AND (scheduler = 'mps' OR scheduler = 'slate' AND symmetry = 'printed' AND task_size = 10)
*/
SELECT setting, 'gain of GS-GS' AS part, replicate, gain_over_mps AS value
FROM gpu_corun_claim WHERE pair = 'GS-GS'
UNION ALL
SELECT setting, 'GS-GS ran one after the other', replicate, (NOT corun)::INT
FROM gpu_corun_claim WHERE pair = 'GS-GS'
