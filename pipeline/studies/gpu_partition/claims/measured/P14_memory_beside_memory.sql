/*
source: "Zahaf et al. 2021, Section 3.2, Figure 4"
statement: A memory-bound kernel loses more beside a memory-bound one than beside a compute-bound one.
unit: yes/no
paper_value: 1
kind: yes_no
configuration: mean slowdown beside the other memory-bound kernels above that beside compute-bound ones, on half of the SMs; of memory is what draws half or more of the largest rate from memory that a kernel of the card does; a replicate is a kernel of memory that has neighbours of both kinds
*/
SELECT
    pair.trace, pair.app AS replicate,
    avg(slowdown) FILTER (other.kind_by_rate = 'memory') > avg(slowdown) FILTER (other.kind_by_rate = 'compute') AS value
FROM gpu_card_pair AS pair
JOIN gpu_card_kernel AS own ON (own.trace, own.app) = (pair.trace, pair.app)
JOIN gpu_card_kernel AS other ON (other.trace, other.app) = (pair.trace, pair.beside)
WHERE pair.sms = pair.machine_sms // 2 AND pair.app <> pair.beside AND own.kind_by_rate = 'memory'
GROUP BY pair.trace, pair.app
HAVING value IS NOT NULL
