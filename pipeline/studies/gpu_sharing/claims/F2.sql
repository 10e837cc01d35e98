/*
source: "thesis, Section 6.2, Table 6"
statement: The system speed-ups over cooperative multitasking of five policies in seven mixes.
unit: share of the seven mixes whose system speed-up is the printed one to 0.015
parts: {equal_compute: always, equal_throughput: always, equal_speedup: always, max_fair_throughput: always, max_throughput: always}
kind: always
configuration: the 35 values one by one (fig_gpu_sharing_table_6), a mix being a replicate; 0.015 is half the last printed digit and what rounding of the printed throughputs and speed-ups that we start from adds; straight lines (default) or PCHIP between the printed points; further settings are 0.005, half the last digit alone, and 0.03
differs: The two cells that differ are of PATH and SC, whose printed throughputs do not give the printed speed-ups; all others agree.
evidence: |
  SELECT count(*) FILTER (abs(difference) > 0.015) > 0 AND bool_and(mix = 'PATH+SC') FILTER (abs(difference) > 0.015) AS holds, count(*) FILTER (abs(difference) > 0.015) AS cells_that_differ, max(abs(difference)) FILTER (same_split) AS largest_difference_at_the_printed_split
  FROM fig_gpu_sharing_table_6 WHERE interpolation = 'linear'
scenarios: gpu_sharing_result WHERE kind = 'stated' AND trace = 'thesis_table_6' AND NOT "dynamic" AND sms = 16 AND gamma = 0 AND policy <> 'cooperative'
*/
WITH threshold (most, named) AS (VALUES (0.015, NULL), (0.005, 'within 0.005'), (0.03, 'within 0.03'))
SELECT
    coalesce(named, CASE interpolation WHEN 'linear' THEN 'default' ELSE interpolation END) AS setting,
    policy AS part, mix AS replicate, abs(difference) <= most AS value
FROM fig_gpu_sharing_table_6 CROSS JOIN threshold
WHERE named IS NULL OR interpolation = 'linear'
