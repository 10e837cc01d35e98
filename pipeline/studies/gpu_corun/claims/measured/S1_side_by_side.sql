/*
source: "IPDPS 2019, Section V-E"
statement: Of the pairs of Slate's five kernels, Slate runs exactly those with the quasi-random generator (RG) side by side.
unit: yes/no
paper_value: 1
kind: yes_no
configuration: BlackScholes, Gaussian, SGEMM, quasi-random generator and transpose as the probe has them, with the rates they have on the card, its thresholds (docs/models/gpu_corun.md) and Table I as printed; a replicate is a pair
*/
SELECT trace, pair AS replicate, corun = bool_or(kernel = 'quasi_random') AS value
FROM gpu_corun_result
JOIN (SELECT scenario_id, kernel FROM outcome_gpu_corun) USING (scenario_id)
WHERE trace IN (SELECT trace FROM gpu_card_kernel) AND kind = 'pair' AND scheduler = 'slate'
    AND split = 'equal' AND symmetry = 'printed' AND task_size = 10
GROUP BY trace, pair, corun
HAVING bool_and(kernel IN ('black_scholes', 'gaussian', 'sgemm', 'quasi_random', 'transpose'))
