/*
source: "Thesis, Section 4.2.3, Figure 8"
statement: Three applications are 19 % faster with per-SM clocks, and 42 and 43 % faster than with cooperative multitasking; some combinations do better with Even-Split than with Profile.
unit: times; share of settings for the last part
parts:
  Even-Split over a global clock: 1.19
  Profile over a global clock: 1.19
  Even-Split over cooperative: 1.42
  Profile over cooperative: 1.43
  Profile below Even-Split somewhere: 1
digit: 0.01
kind: value
pooled: true
configuration: geometric mean over the 70 combinations of three of the nine applications with both classes, CFMS, speed-ups for equal work; the last part is 1 where Even-Split is ahead by more than 0.005 in some combination, else 0; 30 SMs with contention; each setting is a member of the surrogate curves with its maps of SM frequencies, the value is over the members, each with its maps' mean
*/
SELECT
    setting, CASE scheduler WHEN 'profile' THEN 'Profile' ELSE 'Even-Split' END || ' over a global clock' AS part, replicate,
    over_global AS value
FROM gpu_sharing_variation_claim
WHERE combinations = 'three' AND assignment = 'cfms'
UNION ALL
SELECT
    setting, CASE scheduler WHEN 'profile' THEN 'Profile' ELSE 'Even-Split' END || ' over cooperative', replicate, speedup
FROM gpu_sharing_variation_claim
WHERE combinations = 'three' AND assignment = 'cfms'
UNION ALL
SELECT setting, 'Profile below Even-Split somewhere', replicate, (least_profile_gain < -0.005)::DOUBLE
FROM gpu_sharing_variation_claim
WHERE combinations = 'three' AND assignment = 'cfms' AND scheduler = 'profile'
