/*
source: "thesis, Section 4.2.2, Figure 7"
statement: Per-SM clocks are 18 to 20 % faster than a global clock, with Even-Split and with Profile.
headline: one clock per SM speeds applications up by 18 to 20 %
unit: share
parts: {Even-Split: 0.18, Profile: 0.20}
digit: 0.01
kind: value
pooled: {default: ""}
configuration: speed-up less one, geometric mean over the 25 pairs of Table 3, CFMS, speed-ups for equal work; the lower of the two numbers is read as Even-Split's; two applications on 30 SMs with contention; each setting is a member of the surrogate curves with its maps of SM frequencies, the value is over the members, each with its maps' mean; other readings are the memory controllers that the others leave, and another law of the maps
differs: Per-SM clocks give about 12 %. The mean SM of the maps that are drawn is about 20 % faster than the slowest one. An application that is bound by its part of the memory controllers gains little of that. With all the controllers that the others leave it is about 14 %. Whether the thesis's maps are faster in the mean is not known.
evidence: |
  SELECT avg(over_global) FILTER (assignment = 'cfms') - 1 < 0.18 AS holds, avg(over_global) FILTER (scheduler = 'even_split' AND assignment = 'cfms') - 1 AS even_split,
    avg(over_global) FILTER (scheduler = 'profile' AND assignment = 'cfms') - 1 AS profile,
    (SELECT avg(over_global) - 1 FROM gpu_sharing_variation_claim WHERE setting = 'memory controllers left' AND combinations = 'table_3' AND assignment = 'cfms' AND scheduler = 'even_split') AS controllers_left_even_split,
    (SELECT avg(over_global) - 1 FROM gpu_sharing_variation_claim WHERE setting = 'memory controllers left' AND combinations = 'table_3' AND assignment = 'cfms' AND scheduler = 'profile') AS controllers_left_profile,
    (SELECT avg(frequency) - 1 FROM sm_map_gpu_sharing WHERE sms = 30) AS mean_sm_over_the_slowest
  FROM gpu_sharing_variation_claim WHERE setting = 'default' AND combinations = 'table_3'
scenarios: gpu_sharing_variation WHERE mix IN (SELECT mix FROM gpu_sharing_table_3) AND (clocking = 'global' OR assignment = 'cfms')
*/
SELECT setting, CASE scheduler WHEN 'profile' THEN 'Profile' ELSE 'Even-Split' END AS part, replicate, over_global - 1 AS value
FROM gpu_sharing_variation_claim
WHERE combinations = 'table_3' AND assignment = 'cfms'
