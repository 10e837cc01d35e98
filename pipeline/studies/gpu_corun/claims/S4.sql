/*
source: "IPDPS 2019, Section V-E"
statement: MPS performs about 6 % better than CUDA.
unit: share
paper_value: 0.06
digit: 0.01
kind: input
configuration: a draw is admissible only where this is so (5.5 to 6.5 %), no result of the replays
differs: The lead of MPS over CUDA on pairs is put into the model as the paper prints it.
*/
SELECT setting, replicate, avg(mps_over_cuda) AS value
FROM gpu_corun_claim
WHERE kind = 'pair'
GROUP BY ALL
HAVING count(*) = 15
