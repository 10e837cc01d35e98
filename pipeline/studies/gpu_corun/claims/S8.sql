/*
source: "IPDPS 2019, Section V-E"
statement: GS-GS gains 24 % over MPS although the two run one after the other.
unit: share
parts: {gain of GS-GS: 0.24, GS-GS ran one after the other: yes}
digit: 0.01
kind: input
configuration: GS's speed alone under Slate and the letters that part GS from GS are put in, and the gain follows; what the query gives is MPS's makespan over Slate's, less one; admissible models, published pairs, 30 SMs, Table I as printed, tasks of 10 blocks; a setting is a machine with a split of the SMs, its replicates are draws of kernels; the value is at the equal split over machines, each with the mean over its draws
differs: Two things are put into the model, and the gain over MPS follows from them. GS gains 28 % alone under Slate (Table III), and GS-GS runs one after the other (Table I).
*/
SELECT setting, 'gain of GS-GS' AS part, replicate, gain_over_mps AS value
FROM gpu_corun_claim WHERE pair = 'GS-GS'
UNION ALL
SELECT setting, 'GS-GS ran one after the other', replicate, (NOT corun)::INT
FROM gpu_corun_claim WHERE pair = 'GS-GS'
