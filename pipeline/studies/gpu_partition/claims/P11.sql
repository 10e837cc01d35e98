/*
source: "Zahaf et al. 2021, Section 7.2, Figure 9"
statement: The analysis time does not depend on the utilisation.
unit: yes/no
parts: {SMS-INA: 1, SMS-ACT: 1, BF-INA: 1, BF-ACT: 1}
kind: yes_no
configuration: 50 tasks; tests of schedulability of the set with the most are at most twice those of the set with the fewest, over the utilisations with an allocation; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: Without the pre-pass the number of tests follows the merges, which grow with the utilisation; with it the tests of all pairs, the same at any utilisation, outweigh them.
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND scheduler IN ('bf', 'sms') AND tasks = 50
*/
SELECT setting, algorithm AS part, replicate, max(tests) <= 2 * min(tests) AS value
FROM gpu_partition_claim
WHERE tasks = 50 AND algorithm <> '1G'
GROUP BY ALL
