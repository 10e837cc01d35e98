/*
source: "thesis, Section 6.3.2, Figure 17"
statement: Both applications are within 5 % of the ideal within 430K cycles (AES and RAY) and 170K cycles (JPEG and ID).
unit: cycles
parts: {AES and RAY: 430000, JPEG and ID: 170000}
digit: 10000
kind: not_derivable
configuration: depends on the lengths of thread blocks, by which samples last and SMs drain, and the thesis prints none; what blocks of 25,000 cycles, the cap of a sample, would give stands in fig_gpu_sharing_17 (cycles_to_5_percent)
differs: It hangs on the length of thread blocks, which scales both times and which the thesis does not print.
*/
SELECT
    'default' AS setting, CASE part WHEN 'a' THEN 'AES and RAY' ELSE 'JPEG and ID' END AS part,
    interpolation AS replicate, max(cycles_to_5_percent) AS value
FROM fig_gpu_sharing_17
GROUP BY ALL
