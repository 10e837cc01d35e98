/*
source: "Zahaf et al. 2021, Section 3.1, Figure 3"
statement: Kernels of compute go on gaining as SMs are added.
unit: yes/no
paper_value: 1
kind: yes_no
configuration: does not saturate at 0.8 of the SMs or fewer (a later point is more than 5 % faster); a replicate is a kernel that draws less than half of the largest rate from memory that a kernel of the card does
*/
SELECT trace, app AS replicate, saturation_share > 0.8 AS value
FROM gpu_card_kernel
WHERE kind_by_rate = 'compute'
