/*
source: "IPDPS 2019, Tables III and IV"
statement: GS alone takes 18.9 s under Slate and 24.7 s under CUDA (printed as +28 %; the times give +31 %); BS-RG has 71 % more instructions a cycle than under MPS.
unit: share
paper_value: 0.28
digit: 0.01
kind: input
configuration: GS's speed alone under Slate is drawn between the two readings; instructions a cycle are in no replay
differs: Times and instructions a cycle were measured by the paper and are put into the model as printed.
*/
SELECT setting, replicate, gain_over_cuda AS value
FROM gpu_corun_claim
WHERE pair = 'GS'
