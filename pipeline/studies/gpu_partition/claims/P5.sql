/*
source: "Zahaf et al. 2021, Section 7.2, Figure 9"
statement: The exhaustive list of forbidden pairs (ACT) reduces the analysis time considerably.
unit: yes/no
parts: {SMS: yes, BF: yes}
kind: yes_no
configuration: 50 tasks; time counted in tasks that the sums of the analysis go over, which is the same on every machine, over all utilisations; considerably is by a fifth or more; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper, of considerably, too
differs: The pre-pass of ACT tests every pair of tasks at every utilisation, 1225 tests for 50 tasks. That is more than it saves, even in overload, if a failed merge forbids all pairs of its tasks (Section 5.4). If it forbids the pair of partitions, as Algorithm 3 is printed, ACT takes less than half of the time.
evidence: |
  SELECT sum(steps) FILTER (algorithm LIKE '%ACT' AND utilisation < 48) > sum(steps) FILTER (algorithm LIKE '%INA' AND utilisation < 48)
    AND sum(steps) FILTER (algorithm LIKE '%ACT' AND utilisation >= 48) > 0.8 * sum(steps) FILTER (algorithm LIKE '%INA' AND utilisation >= 48) AS holds,
    sum(steps) FILTER (algorithm LIKE '%ACT' AND utilisation < 48) / sum(steps) FILTER (algorithm LIKE '%INA' AND utilisation < 48) AS ratio_below_48,
    sum(steps) FILTER (algorithm LIKE '%ACT' AND utilisation >= 48) / sum(steps) FILTER (algorithm LIKE '%INA' AND utilisation >= 48) AS ratio_from_48,
    (SELECT sum(steps) FILTER (algorithm LIKE '%ACT') / sum(steps) FILTER (algorithm LIKE '%INA') FROM gpu_partition_claim
      WHERE setting = 'pairs of partitions forbidden' AND tasks = 50 AND algorithm <> '1G') AS pairs_of_partitions
  FROM gpu_partition_claim WHERE setting = 'default' AND tasks = 50 AND algorithm <> '1G'
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('bf', 'sms') AND tasks = 50
*/
WITH made AS (
    SELECT setting, replicate, algorithm, sum(steps) AS steps
    FROM gpu_partition_claim
    WHERE tasks = 50
    GROUP BY ALL
),
threshold (share, named) AS (VALUES (0.8, NULL), (0.5, 'considerably by half'), (0.9, 'considerably by a tenth'))
SELECT
    coalesce(named, setting) AS setting, replace(act.algorithm, '-ACT', '') AS part, replicate,
    act.steps <= share * ina.steps AS value
FROM made AS act JOIN made AS ina USING (setting, replicate) CROSS JOIN threshold
WHERE (named IS NULL OR setting = 'default') AND act.algorithm IN ('SMS-ACT', 'BF-ACT') AND ina.algorithm = replace(act.algorithm, 'ACT', 'INA') AND ina.steps > 0
