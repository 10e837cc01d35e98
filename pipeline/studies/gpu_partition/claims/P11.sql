/*
source: "Zahaf et al. 2021, Section 7.2, Figure 9"
statement: The analysis time does not depend on the utilisation.
unit: yes/no
parts: {SMS-INA: yes, SMS-ACT: yes, BF-INA: yes, BF-ACT: yes}
kind: yes_no
configuration: 50 tasks; time counted in tasks that the sums of the analysis go over, at most twice as many for the set with the most as for the one with the fewest, over the utilisations with an allocation; 68 SMs, half of the tasks memory intensive, preemptive EDF, serial part scaled; replicates are numbers of task sets, each with a set at every utilisation; settings are other readings of the paper, of does not depend, too
differs: Not by Algorithm 1 as printed, which stops when the partitions fit. The more the sets are loaded, the more is merged before, and each merge has to be tested. Section 7 must have merged on. If we do so in increasing order, the mean is nearly the same at low and high load. Of single sets the one with the most steps still has about two and a half times those of the one with the fewest.
evidence: |
  SELECT avg(steps) FILTER (setting = 'default' AND utilisation >= 48) > 2 * avg(steps) FILTER (setting = 'default' AND utilisation < 20)
    AND avg(steps) FILTER (setting = 'increasing order, merged to exhaustion' AND utilisation >= 48) BETWEEN 0.5 * avg(steps) FILTER (setting = 'increasing order, merged to exhaustion' AND utilisation < 20) AND 2 * avg(steps) FILTER (setting = 'increasing order, merged to exhaustion' AND utilisation < 20) AS holds,
    avg(steps) FILTER (setting = 'default' AND utilisation < 20) AS steps_below_20, avg(steps) FILTER (setting = 'default' AND utilisation >= 48) AS steps_from_48,
    avg(steps) FILTER (setting = 'increasing order, merged to exhaustion' AND utilisation < 20) AS merged_on_below_20, avg(steps) FILTER (setting = 'increasing order, merged to exhaustion' AND utilisation >= 48) AS merged_on_from_48,
    (SELECT avg(most / fewest) FROM (
      SELECT max(steps) AS most, min(steps) AS fewest FROM gpu_partition_claim WHERE setting = 'increasing order, merged to exhaustion' AND tasks = 50 AND algorithm <> '1G' GROUP BY algorithm, replicate
    )) AS merged_on_most_over_fewest
  FROM gpu_partition_claim WHERE tasks = 50 AND algorithm <> '1G'
scenarios: gpu_partition_result WHERE kind = 'generated' AND sms = 68 AND memory_share = 0.5 AND setting NOT IN ('deadline-monotonic', 'mig sizes') AND scheduler IN ('bf', 'sms') AND tasks = 50
*/
WITH threshold (times, named) AS (VALUES (2, NULL), (1.5, 'no dependence up to 1.5 times'), (3, 'no dependence up to 3 times'))
SELECT
    coalesce(named, setting) AS setting, algorithm AS part, replicate,
    min(steps) > 0 AND max(steps) <= any_value(times) * min(steps) AS value
FROM gpu_partition_claim CROSS JOIN threshold
WHERE tasks = 50 AND algorithm <> '1G' AND (named IS NULL OR setting = 'default')
GROUP BY ALL
