/*
source: "IPDPS 2019, Section V-E"
statement: All pairs that gain less than 10 % over MPS run one after the other.
unit: yes/no
paper_value: 1
kind: yes_no
pooled: {default: ""}
configuration: holds in a replicate where every pair that ran side by side gains 10 % or more (MPS's makespan over Slate's, less one); admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is at the equal split over machines, each with the mean over its draws
scenarios: gpu_corun_result WHERE machine IS NOT NULL AND sms = 30 AND kind = 'pair' AND (scheduler = 'mps' OR scheduler = 'slate' AND symmetry = 'printed' AND task_size = 10)
*/
SELECT setting, replicate, bool_and(NOT corun OR gain_over_mps >= 0.1) AS value
FROM gpu_corun_claim
WHERE kind = 'pair'
GROUP BY ALL
HAVING count(*) = 15
