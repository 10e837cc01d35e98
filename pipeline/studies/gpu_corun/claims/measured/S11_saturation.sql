/*
source: "IPDPS 2019, Section II, Figure 1"
statement: The bandwidth of a stream saturates at 9 of 30 SMs.
unit: share of the SMs
paper_value: 0.3
digit: 0.0333
kind: value
configuration: least share of the SMs with 95 % of the largest speed; a replicate is a kernel that draws 0.8 or more of the largest rate from memory that a kernel of the card does
*/
SELECT trace, app AS replicate, min(sms / fig_gpu_corun_1.machine_sms) AS value
FROM fig_gpu_corun_1 JOIN gpu_card_kernel USING (app)
WHERE trace = source AND saturates AND memory_share >= 0.8
GROUP BY ALL
