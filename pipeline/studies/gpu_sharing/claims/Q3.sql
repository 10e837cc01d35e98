/*
source: "thesis, Section 5.2, Table 4"
statement: Two QoS applications leave SMs that save 2.6 to 18.1 W idle and 6.9 to 28.6 W power-gated, at 100 to 80 % of the QoS.
unit: W
parts:
  100 %, idle: 2.6
  95 %, idle: 5.8
  90 %, idle: 8.8
  85 %, idle: 13
  80 %, idle: 18.1
  100 %, gated: 6.9
  95 %, gated: 11.2
  90 %, gated: 15.8
  85 %, gated: 22.2
  80 %, gated: 28.6
digit: 0.1
kind: input
configuration: the watts an SM (idle_w, gated_w) were fitted to the 80 % row; what they make of the spare SMs of the other rows stands in fig_gpu_sharing_table_4
differs: The watts of a spare SM are fitted to this very table.
*/
SELECT 'default' AS setting, qos_level || ' %, ' || saving AS part, qos_level AS replicate, saved_w AS value
FROM fig_gpu_sharing_table_4
