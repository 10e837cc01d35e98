/*
source: "Zahaf et al. 2021, Section 3.2, Figure 4"
statement: A memory-bound kernel (TRNS) takes 2.42 times as long beside another one (VADD).
unit: times
paper_value: 2.42
digit: 0.01
kind: value
configuration: time beside over time alone, both on half of the SMs; a replicate is a kernel beside each other kernel, both of which draw half or more of the largest rate from memory that a kernel of the card does
*/
SELECT pair.trace, pair.app || ' beside ' || pair.beside AS replicate, pair.slowdown AS value
FROM gpu_card_pair AS pair
JOIN gpu_card_kernel AS own ON (own.trace, own.app) = (pair.trace, pair.app)
JOIN gpu_card_kernel AS other ON (other.trace, other.app) = (pair.trace, pair.beside)
WHERE pair.sms = pair.machine_sms // 2 AND pair.app <> pair.beside
    AND own.kind_by_rate = 'memory' AND other.kind_by_rate = 'memory'
