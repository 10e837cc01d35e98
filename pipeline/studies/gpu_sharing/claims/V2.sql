/*
source: "thesis, Section 4.2.2, Figure 7"
statement: Pairs of a compute- and a memory-bound application are 36 to 46 % faster than with cooperative multitasking at the global clock.
unit: share
parts: {Even-Split: 0.36, Profile: 0.46}
digit: 0.01
kind: value
pooled: {default: ""}
configuration: speed-up less one, geometric mean over the 20 such pairs, per-SM clocks, CFMS, speed-ups for equal work; the lower of the two numbers is read as Even-Split's; two applications on 30 SMs with contention; each setting is a member of the surrogate curves with its maps of SM frequencies, the value is over the members, each with its maps' mean; other readings are the memory controllers that the others leave, and another law of the maps
scenarios: gpu_sharing_variation WHERE applications = 2 AND classes = 'mixed' AND assignment = 'cfms'
*/
SELECT setting, CASE scheduler WHEN 'profile' THEN 'Profile' ELSE 'Even-Split' END AS part, replicate, speedup - 1 AS value
FROM gpu_sharing_variation_claim
WHERE combinations = 'mixed' AND assignment = 'cfms'
