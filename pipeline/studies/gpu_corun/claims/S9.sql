/*
source: "IPDPS 2019, Section V-C"
statement: Pairs that run one after the other gain 8 % over MPS on average (kernel time).
unit: share
paper_value: 0.08
digit: 0.01
kind: not_derivable
configuration: mean over the pairs that Slate did not run side by side of MPS's kernel makespan over Slate's, less one; speeds alone under Slate are inputs; admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is at the equal split over machines, each with the mean over its draws
differs: It depends on how much faster MM, RG and TR run alone under Slate, which the paper does not print. We assume 6 % for each, and the mean follows from that.
*/
SELECT setting, replicate, avg(kernel_gain_over_mps) AS value
FROM gpu_corun_claim
WHERE kind = 'pair' AND NOT corun
GROUP BY ALL
