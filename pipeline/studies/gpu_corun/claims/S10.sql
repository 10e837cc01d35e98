/*
source: "IPDPS 2019, Sections V-B and V-D, Figure 5"
statement: GS's kernel time almost halves from task size 1 to 10; BS is better at 1.
unit: yes/no
paper_value: 1
kind: input
configuration: the two kernels' parameters pull_cost and imbalance are made of these sentences, no result of the replays; fig_gpu_corun_5 shows what was put in
differs: How the task size changes the speed of GS and BS is put into the model as the text prints it (Sections V-B and V-D); Figure 5 has no numbers.
*/
SELECT 'default' AS setting, kernel AS replicate, printed IS NOT NULL AS value
FROM fig_gpu_corun_5
