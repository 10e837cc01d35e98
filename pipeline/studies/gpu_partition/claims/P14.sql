/*
source: "Zahaf et al. 2021, Sections 3.1 and 3.2, Figures 3 and 4"
statement: Memory intensive kernels gain nothing from more than 40 of 68 SMs; TRNS takes 2.42 times as long beside VADD.
unit: times the time alone
paper_value: 2.42
digit: 0.01
kind: input
configuration: measured by the paper on an RTX 2080 Ti (5.566 ms against 2.300 ms); it is where the conflict factor comes from, and no result of the replays
differs: Saturation and slow-down were measured by the paper and are put into the model as printed.
*/
SELECT 'default' AS setting, 'TRNS beside VADD' AS replicate, 5.566 / 2.300 AS value
