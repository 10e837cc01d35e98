/*
source: "Zahaf et al. 2021, Section 7.2, Figure 5"
statement: Below a utilisation of 35 the GPU is not loaded critically, and all heuristics reach 100 % schedulability with 50 tasks; so does 1G.
unit: yes/no
parts: {SMS-INA: always, SMS-ACT: always, BF-INA: always, BF-ACT: always, 1G: always}
kind: always
configuration: the sets of a number are schedulable at every utilisation below 35, and one above is not; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper
differs: 1G loses its first task sets at a utilisation of 32. In the paper's figure, which has steps of 2, the fall begins at 35. The four heuristics agree.
evidence: |
  SELECT min(schedulable) FILTER (utilisation < 32) = 1 AND min(schedulable) FILTER (utilisation BETWEEN 32 AND 34) < 1 AS holds,
    avg(schedulable) FILTER (utilisation = 32) AS share_at_32, avg(schedulable) FILTER (utilisation = 34) AS share_at_34
  FROM gpu_partition_claim WHERE setting = 'default' AND tasks = 50 AND algorithm = '1G'
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('one_gpu', 'bf', 'sms') AND tasks = 50
*/
SELECT
    setting, algorithm AS part, replicate,
    min(schedulable) FILTER (utilisation < 35) = 1 AND min(schedulable) FILTER (utilisation > 35) = 0 AS value
FROM gpu_partition_claim
WHERE tasks = 50
GROUP BY ALL
HAVING count(*) FILTER (utilisation < 35) > 0 AND count(*) FILTER (utilisation > 35) > 0
