/*
source: "IPDPS 2019, Section V-E, Figure 7"
statement: Slate improves throughput over CUDA by 18 %, mean of 15 pairs.
unit: share
paper_value: 0.18
digit: 0.01
kind: value
pooled: {default: ""}
configuration: mean over the 15 pairs of CUDA's makespan over Slate's, less one; admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is at the equal split over machines, each with the mean over its draws
differs: "Most of it is the split of the SMs, which the paper does not state: the printed 18 % come of nearly all machines of the ensemble with a split at saturation, of a third of them with the best split."
scenarios: gpu_corun_result WHERE machine IS NOT NULL AND sms = 30 AND kind = 'pair' AND (scheduler = 'cuda' OR scheduler = 'slate' AND symmetry = 'printed' AND task_size = 10)
*/
SELECT setting, replicate, avg(gain_over_cuda) AS value
FROM gpu_corun_claim
WHERE kind = 'pair'
GROUP BY ALL
HAVING count(*) = 15
