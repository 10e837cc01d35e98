/*
source: "Zahaf et al. 2021, Section 3.1, Figure 3"
statement: Kernels of memory gain nothing from SMs beyond a point well below all of them.
unit: yes/no
paper_value: 1
kind: yes_no
configuration: saturates at 0.8 of the SMs or fewer (no later point is more than 5 % faster); a replicate is a kernel that draws half or more of the largest rate from memory that a kernel of the card does
*/
SELECT trace, app AS replicate, saturation_share <= 0.8 AS value
FROM gpu_card_kernel
WHERE kind_by_rate = 'memory'
