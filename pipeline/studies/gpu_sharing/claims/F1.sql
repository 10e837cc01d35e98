/*
source: "thesis, Section 6.2, Table 6"
statement: The SMs that each of five policies gives each application, in seven mixes of two and three applications.
unit: share of the seven mixes whose split is the printed one
parts: {equal_compute: 1, equal_throughput: 1, equal_speedup: 1, max_fair_throughput: 1, max_throughput: 1}
kind: yes_no
configuration: the 35 cells one by one (fig_gpu_sharing_table_6), a mix being a replicate; every split of 16 SMs looked at, on the points that the table prints for the mix, joined by straight lines (default) or by PCHIP
scenarios: gpu_sharing_result WHERE kind = 'stated' AND trace_id = 'thesis_table_6' AND NOT "dynamic" AND sms = 16 AND gamma = 0 AND policy <> 'cooperative'
*/
SELECT
    CASE interpolation WHEN 'linear' THEN 'default' ELSE interpolation END AS setting,
    policy AS part, mix AS replicate, same_split AS value
FROM fig_gpu_sharing_table_6
