/*
source: "Zahaf et al. 2021, Section 3.2"
statement: Run time on m SMs is a/m + b.
unit: yes/no
paper_value: 1
kind: yes_no
configuration: the least-squares fit misses no point of the curve by more than 10 % of the time there (the paper states no tolerance); a replicate is a kernel
*/
SELECT trace, app AS replicate, fit_error <= 0.1 AS value
FROM gpu_card_kernel
