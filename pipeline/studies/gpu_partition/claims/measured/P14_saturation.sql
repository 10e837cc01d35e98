/*
source: "Zahaf et al. 2021, Section 3.1, Figure 3"
statement: Kernels of memory saturate at 40 of 68 SMs.
unit: share of the SMs
paper_value: 0.588
digit: 0.0147
kind: value
configuration: least SMs from which no point is more than 5 % faster, over all SMs; a replicate is a kernel that draws half or more of the largest rate from memory that a kernel of the card does
*/
SELECT trace, app AS replicate, saturation_share AS value
FROM gpu_card_kernel
WHERE kind_by_rate = 'memory'
