/*
source: "thesis, Section 6.3.2, Figure 17"
statement: From 8 and 8 SMs, AES and RAY go to 5 and 11 (equal throughput), ID and JPEG to 10 and 6 and then to 11 and 5 (max fair throughput).
unit: share of the printed numbers of SMs that are met, round by round
paper_value: 1
kind: always
configuration: the dynamic schedulers on the means of Table 6's points, joined by straight lines (default) or PCHIP; a replicate is an application in a round; the text's "8 SMs for RAY" is a slip for 11 (three SMs move and 16 are shared)
scenarios: gpu_sharing_result WHERE kind = 'mixes' AND trace = 'thesis_table_6' AND "dynamic" AND initial = 'equal' AND gamma = 0 AND sms = 16 AND (mix, policy) IN (('AES+RAY', 'equal_throughput'), ('ID+JPEG', 'max_fair_throughput'))
*/
SELECT
    CASE interpolation WHEN 'linear' THEN 'default' ELSE interpolation END AS setting,
    format('{} {} {}', part, round, app) AS replicate,
    sms IS NOT DISTINCT FROM printed_sms AS value
FROM fig_gpu_sharing_17
