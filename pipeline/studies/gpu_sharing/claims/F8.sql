/*
source: "thesis, Section 6.2, Figure 15"
statement: Max throughput is unfair in SMs, throughput and speed-up, more so than max fair throughput, which has the higher system speed-up than equal speed-up.
unit: share of members in which it holds
parts:
  max throughput more unfair in SMs: yes
  max throughput more unfair in throughput: yes
  max throughput more unfair in speed-up: yes
  max fair throughput ahead of equal speed-up: yes
kind: yes_no
ensemble: true
configuration: means over all 21 pairs of seven applications on 16 SMs, unfairness as Equation 1 has it; a replicate is a member of the ensemble of saturating curves, since the thesis prints no curve as a whole
scenarios: gpu_sharing_result WHERE kind = 'mixes' AND trace IS NULL AND applications = 2 AND NOT "dynamic" AND gamma = 0 AND sms = 16 AND interpolation = 'linear' AND policy IN ('max_throughput', 'equal_speedup', 'max_fair_throughput')
*/
WITH mine AS (
    SELECT * FROM fig_gpu_sharing_15 WHERE source = 'ensemble' AND interpolation = 'linear' AND sms = 16
),
compared AS (
    SELECT
        member, greedy.unfairness_sms > fair.unfairness_sms AS sms,
        greedy.unfairness_throughput > fair.unfairness_throughput AS throughput,
        greedy.unfairness_speedup > fair.unfairness_speedup AS speedup,
        fair.system_speedup > equal.system_speedup AS ahead
    FROM mine AS greedy JOIN mine AS fair USING (member) JOIN mine AS equal USING (member)
    WHERE greedy.policy = 'max_throughput' AND fair.policy = 'max_fair_throughput' AND equal.policy = 'equal_speedup'
)
SELECT 'default' AS setting, what AS part, member AS replicate, holds AS value
FROM compared
CROSS JOIN LATERAL (
    VALUES ('max throughput more unfair in SMs', sms), ('max throughput more unfair in throughput', throughput),
        ('max throughput more unfair in speed-up', speedup), ('max fair throughput ahead of equal speed-up', ahead)
) AS said (what, holds)
