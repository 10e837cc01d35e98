/*
source: "Zahaf et al. 2021, Section 7.2, Figure 5b"
statement: As the utilisation increases, SMS performs better than BF.
unit: yes/no
parts: {'INA, at least as many': 1, 'ACT, at least as many': 1, 'INA, more': 1, 'ACT, more': 1}
kind: yes_no
configuration: 50 tasks; number of utilisations above 35 at which the set is schedulable; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: With decreasing order the union of least load that BF picks is usually the smallest one, too, so that the lead of SMS in the paper is a tie here, and no reading that was tried makes it more than single sets.
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND scheduler IN ('bf', 'sms') AND tasks = 50 AND utilisation > 35
*/
WITH held AS (
    SELECT setting, replicate, algorithm, sum(schedulable) AS points
    FROM gpu_partition_claim
    WHERE tasks = 50 AND utilisation > 35
    GROUP BY ALL
),
compared AS (
    SELECT setting, replicate, right(sms.algorithm, 3) AS prepass, sms.points AS sms_points, bf.points AS bf_points
    FROM held AS sms JOIN held AS bf USING (setting, replicate)
    WHERE sms.algorithm IN ('SMS-INA', 'SMS-ACT') AND bf.algorithm = replace(sms.algorithm, 'SMS', 'BF')
)
SELECT setting, prepass || ', at least as many' AS part, replicate, sms_points >= bf_points AS value FROM compared
UNION ALL
SELECT setting, prepass || ', more', replicate, sms_points > bf_points FROM compared
