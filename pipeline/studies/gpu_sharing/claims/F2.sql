/*
source: "thesis, Section 6.2, Table 6"
statement: The system speed-ups over cooperative multitasking of five policies in seven mixes.
unit: share of the seven mixes whose system speed-up is the printed one to 0.015
parts: {equal_compute: 1, equal_throughput: 1, equal_speedup: 1, max_fair_throughput: 1, max_throughput: 1}
kind: yes_no
configuration: the 35 values one by one (fig_gpu_sharing_table_6), a mix being a replicate; 0.015 is half the last printed digit and what rounding of the printed throughputs and speed-ups that we start from adds; straight lines (default) or PCHIP between the printed points
scenarios: gpu_sharing_result WHERE kind = 'stated' AND trace_id = 'thesis_table_6' AND NOT "dynamic" AND sms = 16 AND gamma = 0 AND policy <> 'cooperative'
*/
SELECT
    CASE interpolation WHEN 'linear' THEN 'default' ELSE interpolation END AS setting,
    policy AS part, mix AS replicate, abs(difference) <= 0.015 AS value
FROM fig_gpu_sharing_table_6
