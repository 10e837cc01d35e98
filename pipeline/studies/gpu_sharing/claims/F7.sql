/*
source: "thesis, Section 6.3.2, Figure 17"
statement: Both applications are within 5 % of the ideal within 430K cycles (AES and RAY) and 170K cycles (JPEG and ID).
unit: cycles
parts: {AES and RAY: 430000, JPEG and ID: 170000}
digit: 10000
kind: value
exact: true
configuration: from the cycles at which the thesis has SMs change hands (50K; 24K and 35K) and the throughputs of Table 6's points before and after, straight lines (default) or PCHIP between them; the work of an application since the start is within 5 % of what the last split would have done; draining is left out, which the thesis does not print
differs: It rests on how much more throughput an application has on its first SMs than on its last. By the points of Table 6 AES has 1.6 times as much, which takes longer to even out. 430K cycles would be 1.43 times.
evidence: |
  SELECT max(throughput) FILTER (app = 'AES' AND round = 0) / max(throughput) FILTER (app = 'AES' AND round = 1) > 1.05 * 1.43 AS holds, max(throughput) FILTER (app = 'AES' AND round = 0) / max(throughput) FILTER (app = 'AES' AND round = 1) AS aes_at_8_over_at_5,
    max(throughput) FILTER (app = 'RAY' AND round = 0) / max(throughput) FILTER (app = 'RAY' AND round = 1) AS ray_at_8_over_at_11
  FROM fig_gpu_sharing_17 WHERE interpolation = 'linear'
scenarios: gpu_sharing_result WHERE kind = 'mixes' AND trace = 'thesis_table_6' AND "dynamic" AND initial = 'equal' AND gamma = 0 AND sms = 16 AND (mix, policy) IN (('AES+RAY', 'equal_throughput'), ('ID+JPEG', 'max_fair_throughput'))
*/
WITH lasting (part, round, cycles) AS (VALUES ('a', 0, 50000), ('b', 0, 24000), ('b', 1, 11000)),
path AS (
    SELECT
        part, interpolation, app, round, throughput, sms = printed_sms AS as_printed,
        last_value(throughput) OVER (
            PARTITION BY part, interpolation, app ORDER BY round ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
        ) AS ideal
    FROM fig_gpu_sharing_17
),
behind AS (
    SELECT part, interpolation, app, abs(sum((throughput / ideal - 1) * cycles)) / 0.05 AS until, bool_and(as_printed) AS as_printed
    FROM path JOIN lasting USING (part, round)
    GROUP BY ALL
)
SELECT
    CASE interpolation WHEN 'linear' THEN 'default' ELSE interpolation END AS setting,
    CASE part WHEN 'a' THEN 'AES and RAY' ELSE 'JPEG and ID' END AS part, part AS replicate, max(until) AS value
FROM behind
GROUP BY part, interpolation
HAVING bool_and(as_printed)
