/*
source: "Zahaf et al. 2021, Section 7.2, Figure 7"
statement: With 200 tasks the heuristics dominate 1G and are closer to each other than with 50.
unit: yes/no
parts: {dominate 1G: 1, closer to each other: 1}
kind: yes_no
configuration: number of utilisations (those of the sets of 200 tasks) at which the set is schedulable; closer is a range over the four heuristics no larger than with 50 tasks; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND scheduler IN ('one_gpu', 'bf', 'sms') AND tasks IN (50, 200)
*/
WITH held AS (
    SELECT setting, replicate, tasks, algorithm, sum(schedulable) AS points
    FROM gpu_partition_claim
    WHERE tasks IN (50, 200) AND utilisation IN (SELECT utilisation FROM gpu_partition_claim WHERE tasks = 200)
    GROUP BY ALL
),
compared AS (
    SELECT
        setting, replicate,
        min(points) FILTER (tasks = 200 AND algorithm <> '1G') AS least,
        max(points) FILTER (tasks = 200 AND algorithm <> '1G') AS most,
        max(points) FILTER (tasks = 200 AND algorithm = '1G') AS of_1g,
        max(points) FILTER (tasks = 50 AND algorithm <> '1G')
            - min(points) FILTER (tasks = 50 AND algorithm <> '1G') AS range_of_50
    FROM held
    GROUP BY ALL
)
SELECT setting, 'dominate 1G' AS part, replicate, least >= of_1g AS value FROM compared WHERE least IS NOT NULL
UNION ALL
SELECT setting, 'closer to each other', replicate, most - least <= range_of_50 FROM compared WHERE least IS NOT NULL
