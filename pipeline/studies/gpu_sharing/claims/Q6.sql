/*
source: "thesis, Section 5.3, Table 5"
statement: Beside another application AES-D loses at most 0.3 % of its throughput on 15 SMs and on 10, JPEG-D 16 and 23.2 %, SHA1 18.2 and 24 %.
unit: share of throughput
parts:
  AES-D on 15 SMs: 0.003
  AES-D on 10 SMs: 0.003
  JPEG-D on 15 SMs: 0.16
  JPEG-D on 10 SMs: 0.232
  SHA1 on 15 SMs: 0.182
  SHA1 on 10 SMs: 0.24
digit: 0.001
kind: input
configuration: the applications' sensitivities to contention are drawn between what the two columns of Table 5 give; what the model makes of them stands in fig_gpu_sharing_table_5
differs: The losses are put into the model as the contention of the QoS applications.
*/
SELECT 'default' AS setting, app || ' on ' || sms || ' SMs' AS part, app AS replicate, loss AS value
FROM fig_gpu_sharing_table_5
