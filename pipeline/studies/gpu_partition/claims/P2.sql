/*
source: "Zahaf et al. 2021, Section 7.2, Figure 5"
statement: Starting from 35 the schedulability of 1G drastically falls.
unit: yes/no
parts: {holds up to 34: yes, fails from 40 on: yes}
kind: yes_no
configuration: 50 tasks; the paper prints no share, so the fall is read as one from every set at 34 to none at 40; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: 1G begins to fall at a utilisation of 32, not at 35, so not every number of sets holds up to 34. In a figure with steps of 2 the two are hard to distinguish.
evidence: |
  SELECT avg(schedulable) FILTER (utilisation = 34) < 1 AND avg(schedulable) FILTER (utilisation = 40) < 0.1 AS holds,
    avg(schedulable) FILTER (utilisation = 32) AS share_at_32, avg(schedulable) FILTER (utilisation = 34) AS share_at_34,
    avg(schedulable) FILTER (utilisation = 36) AS share_at_36, avg(schedulable) FILTER (utilisation = 40) AS share_at_40
  FROM gpu_partition_claim WHERE setting = 'default' AND tasks = 50 AND algorithm = '1G'
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('one_gpu') AND tasks = 50 AND (utilisation <= 34 OR utilisation >= 40)
*/
SELECT setting, 'holds up to 34' AS part, replicate, min(schedulable) = 1 AS value
FROM gpu_partition_claim
WHERE tasks = 50 AND algorithm = '1G' AND utilisation <= 34
GROUP BY ALL
UNION ALL
SELECT setting, 'fails from 40 on', replicate, max(schedulable) = 0
FROM gpu_partition_claim
WHERE tasks = 50 AND algorithm = '1G' AND utilisation >= 40
GROUP BY ALL
