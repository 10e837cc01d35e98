/*
source: "thesis, Section 6.2, Table 6"
statement: The SMs that each of five policies gives each application, in seven mixes of two and three applications.
unit: share of the seven mixes whose split is the printed one
parts: {equal_compute: always, equal_throughput: always, equal_speedup: always, max_fair_throughput: always, max_throughput: always}
kind: always
configuration: the 35 cells one by one (fig_gpu_sharing_table_6), a mix being a replicate; every split of 16 SMs looked at, on the points that the table prints for the mix, joined by straight lines (default) or by PCHIP
differs: In one of the 35 cells (PATH and SC, equal speed-up) the split is another. The printed points of PATH contradict its printed speed-up there, and with equal compute, too (F2).
evidence: |
  SELECT count(*) FILTER (NOT same_split) BETWEEN 1 AND 2 AND bool_and(mix = 'PATH+SC') FILTER (NOT same_split) AS holds, count(*) FILTER (NOT same_split) AS cells_that_differ, any_value(system_speedup - printed_speedup) FILTER (NOT same_split) AS difference_of_their_speed_ups
  FROM fig_gpu_sharing_table_6 WHERE interpolation = 'linear'
scenarios: gpu_sharing_result WHERE kind = 'stated' AND trace = 'thesis_table_6' AND NOT "dynamic" AND sms = 16 AND gamma = 0 AND policy <> 'cooperative'
*/
SELECT
    CASE interpolation WHEN 'linear' THEN 'default' ELSE interpolation END AS setting,
    policy AS part, mix AS replicate, same_split AS value
FROM fig_gpu_sharing_table_6
