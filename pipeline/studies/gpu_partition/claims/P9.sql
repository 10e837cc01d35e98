/*
source: "Zahaf et al. 2021, Section 7.2, Figure 7"
statement: With 200 tasks the heuristics dominate 1G and are closer to each other than with 50.
unit: points of schedulability
parts: {dominate 1G: yes, closer to each other: more}
main: [dominate 1G]
kind: more
configuration: share of the utilisations (those of the sets of 200 tasks) at which the sets of a number are schedulable; the least of the four heuristics above 1G; closer is the range over the four, with 50 tasks less with 200; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: With 50 tasks the four are within a few points of each other already, and with 200 they are alike. So five sets do not show that they come closer. Section 7 must have merged on. If we do so in increasing order, they differ more with 50 and come closer.
evidence: |
  WITH held AS (
    SELECT setting, replicate, tasks, algorithm, avg(schedulable) AS share FROM gpu_partition_claim
    WHERE setting IN ('default', 'increasing order, merged to exhaustion') AND tasks IN (50, 200) AND algorithm <> '1G' AND utilisation IN (SELECT utilisation FROM gpu_partition_claim WHERE tasks = 200 AND setting = 'default')
    GROUP BY ALL
  ), ranged AS (SELECT setting, tasks, replicate, max(share) - min(share) AS reach FROM held GROUP BY ALL),
  merged AS (FROM ranged WHERE setting <> 'default')
  SELECT avg(reach) FILTER (tasks = 50) < 0.05 AS holds, avg(reach) FILTER (tasks = 50) AS range_of_50, avg(reach) FILTER (tasks = 200) AS range_of_200,
    (SELECT avg(reach) FROM merged WHERE tasks = 50) AS merged_on_range_of_50, (SELECT avg(reach) FROM merged WHERE tasks = 200) AS merged_on_range_of_200
  FROM ranged WHERE setting = 'default'
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('one_gpu', 'bf', 'sms') AND tasks IN (50, 200)
*/
WITH held AS (
    SELECT setting, replicate, tasks, algorithm, avg(schedulable) AS share
    FROM gpu_partition_claim
    WHERE tasks IN (50, 200) AND utilisation IN (SELECT utilisation FROM gpu_partition_claim WHERE tasks = 200 AND setting = 'default')
    GROUP BY ALL
),
compared AS (
    SELECT
        setting, replicate,
        min(share) FILTER (tasks = 200 AND algorithm <> '1G') AS least,
        max(share) FILTER (tasks = 200 AND algorithm <> '1G') AS most,
        max(share) FILTER (tasks = 200 AND algorithm = '1G') AS of_1g,
        max(share) FILTER (tasks = 50 AND algorithm <> '1G')
            - min(share) FILTER (tasks = 50 AND algorithm <> '1G') AS range_of_50
    FROM held
    GROUP BY ALL
)
SELECT setting, 'dominate 1G' AS part, replicate, (least > of_1g)::INT AS value FROM compared WHERE least IS NOT NULL
UNION ALL
SELECT setting, 'closer to each other', replicate, range_of_50 - (most - least) FROM compared WHERE least IS NOT NULL
