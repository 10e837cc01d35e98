/*
source: "IPDPS 2019, Section II, Figure 1"
statement: The bandwidth of a stream saturates at 9 of 30 SMs.
unit: share of the SMs
paper_value: 0.3
digit: 0.0333
kind: value
configuration: least share of the SMs with 95 % of the largest speed, over the curves named stream of measured traces, one per trace; without five such traces not derivable
differs: It takes measured curves of a stream kernel from five traces, and none was dropped.
*/
SELECT 'default' AS setting, source AS replicate, min(sms / machine_sms) FILTER (saturates) AS value
FROM fig_gpu_corun_1 JOIN trace ON trace.trace = source
WHERE trace.kind = 'measured' AND contains(lower(app), 'stream')
GROUP BY ALL
