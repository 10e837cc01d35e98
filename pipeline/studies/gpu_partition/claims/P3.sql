/*
source: "Zahaf et al. 2021, Section 7.2, Figure 5b"
statement: As the utilisation increases, SMS performs better than BF.
unit: points of schedulability
parts: {INA: more, ACT: more}
kind: more
configuration: 50 tasks; share of the utilisations above 35 at which the sets of a number are schedulable, SMS less BF; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: The paper prints both orders of the first operand. With the decreasing one, by which we judge, SMS and BF tie. With the increasing one SMS is ahead by about five points.
evidence: |
  WITH held AS (
    SELECT setting, replicate, algorithm, avg(schedulable) AS share FROM gpu_partition_claim
    WHERE tasks = 50 AND utilisation > 35 AND setting IN ('default', 'increasing order') GROUP BY ALL
  )
  SELECT abs(avg(sms.share - bf.share) FILTER (setting = 'default')) < 0.01 AND avg(sms.share - bf.share) FILTER (setting <> 'default') > 0.01 AS holds,
    avg(sms.share - bf.share) FILTER (setting = 'default') AS lead_decreasing, avg(sms.share - bf.share) FILTER (setting <> 'default') AS lead_increasing
  FROM held AS sms JOIN held AS bf USING (setting, replicate)
  WHERE sms.algorithm LIKE 'SMS%' AND bf.algorithm = replace(sms.algorithm, 'SMS', 'BF')
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('bf', 'sms') AND tasks = 50 AND utilisation > 35
*/
WITH held AS (
    SELECT setting, replicate, algorithm, avg(schedulable) AS share
    FROM gpu_partition_claim
    WHERE tasks = 50 AND utilisation > 35
    GROUP BY ALL
)
SELECT setting, right(sms.algorithm, 3) AS part, replicate, sms.share - bf.share AS value
FROM held AS sms JOIN held AS bf USING (setting, replicate)
WHERE sms.algorithm IN ('SMS-INA', 'SMS-ACT') AND bf.algorithm = replace(sms.algorithm, 'SMS', 'BF')
