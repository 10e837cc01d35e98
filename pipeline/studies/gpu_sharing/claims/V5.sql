/*
source: "thesis, Section 4.2.3, Figure 8"
statement: Three applications are 19 % faster with per-SM clocks, and 42 and 43 % faster than with cooperative multitasking; some combinations do better with Even-Split than with Profile.
unit: share
parts:
  Even-Split over a global clock: 0.19
  Profile over a global clock: 0.19
  Even-Split over cooperative: 0.42
  Profile over cooperative: 0.43
  Profile below Even-Split somewhere: yes
digit: 0.01
kind: value
pooled: {default: ""}
configuration: speed-up less one, geometric mean over the 70 combinations of three of the nine applications with both classes, CFMS, speed-ups for equal work; the last part is 1 where Even-Split is ahead by more than 0.005 in some combination, else 0; 30 SMs with contention; each setting is a member of the surrogate curves with its maps of SM frequencies, the value is over the members, each with its maps' mean; other readings are the memory controllers that the others leave, and another law of the maps
differs: The gain over cooperative multitasking agrees. Over a global clock it is about 12 % with Even-Split and less with Profile. The mean SM of the maps that are drawn is about 20 % faster than the slowest one, but what is memory-bound gains little of that. All the controllers that the others leave raise it by a point or two only.
evidence: |
  SELECT avg(over_global) FILTER (assignment = 'cfms') - 1 < 0.19 AS holds, avg(over_global) FILTER (scheduler = 'even_split' AND assignment = 'cfms') - 1 AS even_split,
    avg(over_global) FILTER (scheduler = 'profile' AND assignment = 'cfms') - 1 AS profile,
    (SELECT avg(over_global) - 1 FROM gpu_sharing_variation_claim WHERE setting = 'memory controllers left' AND combinations = 'three' AND assignment = 'cfms' AND scheduler = 'even_split') AS controllers_left_even_split,
    (SELECT avg(over_global) - 1 FROM gpu_sharing_variation_claim WHERE setting = 'memory controllers left' AND combinations = 'three' AND assignment = 'cfms' AND scheduler = 'profile') AS controllers_left_profile,
    (SELECT avg(frequency) - 1 FROM sm_map_gpu_sharing WHERE sms = 30) AS mean_sm_over_the_slowest
  FROM gpu_sharing_variation_claim WHERE setting = 'default' AND combinations = 'three'
scenarios: gpu_sharing_variation WHERE applications = 3 AND classes = 'mixed' AND (clocking = 'global' OR assignment = 'cfms')
*/
SELECT
    setting, CASE scheduler WHEN 'profile' THEN 'Profile' ELSE 'Even-Split' END || ' over a global clock' AS part, replicate,
    over_global - 1 AS value
FROM gpu_sharing_variation_claim
WHERE combinations = 'three' AND assignment = 'cfms'
UNION ALL
SELECT
    setting, CASE scheduler WHEN 'profile' THEN 'Profile' ELSE 'Even-Split' END || ' over cooperative', replicate, speedup - 1
FROM gpu_sharing_variation_claim
WHERE combinations = 'three' AND assignment = 'cfms'
UNION ALL
SELECT setting, 'Profile below Even-Split somewhere', replicate, (least_profile_gain < -0.005)::DOUBLE
FROM gpu_sharing_variation_claim
WHERE combinations = 'three' AND assignment = 'cfms' AND scheduler = 'profile'
