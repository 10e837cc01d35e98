/*
source: "thesis, Section 6.2, Figure 15a"
statement: Over all pairs, max throughput slows the least sped-up application below cooperative multitasking; equal speed-up keeps it at 1 or more.
headline: max throughput slows an application down, equal speed-up slows none down
unit: share of members in which it holds
parts: {max throughput slows the least sped-up: yes, equal speed-up keeps it at 1: yes}
main: [max throughput slows the least sped-up]
kind: yes_no
ensemble: true
configuration: geometric mean of the least speed-up over all 21 pairs of seven applications on 16 SMs; a replicate is a member of the ensemble of saturating curves (docs/models/gpu_sharing.md), since the thesis prints no curve as a whole; what Table 6's points give stands in fig_gpu_sharing_15; max fair throughput keeps it at 1 by what it is, and is no part
differs: It depends on curves that the thesis does not print as a whole. In most of those that are drawn max throughput slows the least sped-up application, as printed. In some it slows nobody in the mean.
evidence: |
  SELECT avg((least_speedup >= 1)::INT) BETWEEN 0.05 AND 0.95 AS holds, avg((least_speedup >= 1)::INT) AS share_of_members_that_slow_nobody, min(least_speedup) AS least
  FROM fig_gpu_sharing_15 WHERE source = 'ensemble' AND interpolation = 'linear' AND sms = 16 AND policy = 'max_throughput'
scenarios: gpu_sharing_result WHERE kind = 'mixes' AND trace IS NULL AND applications = 2 AND NOT "dynamic" AND gamma = 0 AND sms = 16 AND interpolation = 'linear' AND policy IN ('max_throughput', 'equal_speedup')
*/
SELECT
    'default' AS setting,
    CASE policy
        WHEN 'max_throughput' THEN 'max throughput slows the least sped-up'
        ELSE 'equal speed-up keeps it at 1'
    END AS part,
    member AS replicate,
    CASE policy WHEN 'max_throughput' THEN least_speedup < 1 ELSE least_speedup >= 1 - 1e-9 END AS value
FROM fig_gpu_sharing_15
WHERE source = 'ensemble' AND interpolation = 'linear' AND sms = 16
    AND policy IN ('max_throughput', 'equal_speedup')
