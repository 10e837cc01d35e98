/*
source: "Zahaf et al. 2021, Section 7.2, Figure 9"
statement: The exhaustive list of forbidden pairs (ACT) reduces the analysis time considerably.
unit: yes/no
parts: {SMS: 1, BF: 1, 'SMS, overload': 1, 'BF, overload': 1}
kind: yes_no
configuration: 50 tasks; tests of schedulability over all utilisations (overload means those of 48 and more), ACT at most 80 % of INA; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: The pre-pass of ACT tests every pair of tasks at least once, 1225 tests for 50 tasks, which is more than it saves except in deep overload.
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND scheduler IN ('bf', 'sms') AND tasks = 50
*/
WITH made AS (
    SELECT setting, replicate, algorithm, sum(tests) AS total, sum(tests) FILTER (utilisation >= 48) AS overload
    FROM gpu_partition_claim
    WHERE tasks = 50
    GROUP BY ALL
),
compared AS (
    SELECT
        setting, replicate, replace(act.algorithm, '-ACT', '') AS rule,
        act.total <= 0.8 * ina.total AS over_all, act.overload <= 0.8 * ina.overload AS of_overload
    FROM made AS act JOIN made AS ina USING (setting, replicate)
    WHERE act.algorithm IN ('SMS-ACT', 'BF-ACT') AND ina.algorithm = replace(act.algorithm, 'ACT', 'INA')
)
SELECT setting, rule AS part, replicate, over_all AS value FROM compared
UNION ALL
SELECT setting, rule || ', overload', replicate, of_overload FROM compared
