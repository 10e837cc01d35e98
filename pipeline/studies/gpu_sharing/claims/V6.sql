/*
source: "thesis, Section 4.2.2, Figure 7; Table 3"
statement: All pairs are 33 to 41 % faster than with cooperative multitasking at the global clock; the geometric means of Table 3 are 1.36 with CSMF and 1.41 with CFMS.
unit: share; times for Table 3
parts: {"all pairs, Even-Split": 0.33, "all pairs, Profile": 0.41, "Table 3, CSMF": 1.36, "Table 3, CFMS": 1.41}
digit: 0.01
kind: value
pooled: {default: ""}
configuration: geometric mean, less one but for Table 3, which prints ratios, over the 25 pairs of Table 3, per-SM clocks, speed-ups for equal work; the lower of the two numbers of Figure 7 is read as Even-Split's, which pairs of one class it shows is not said; two applications on 30 SMs with contention; each setting is a member of the surrogate curves with its maps of SM frequencies, the value is over the members, each with its maps' mean; other readings are the memory controllers that the others leave, and another law of the maps
scenarios: gpu_sharing_variation WHERE mix IN (SELECT mix FROM gpu_sharing_table_3) AND clocking = 'per_sm' AND (scheduler = 'profile' OR assignment = 'cfms')
*/
SELECT
    setting, CASE scheduler WHEN 'profile' THEN 'all pairs, Profile' ELSE 'all pairs, Even-Split' END AS part, replicate,
    speedup - 1 AS value
FROM gpu_sharing_variation_claim
WHERE combinations = 'table_3' AND assignment = 'cfms'
UNION ALL
SELECT setting, 'Table 3, ' || upper(assignment), replicate, speedup
FROM gpu_sharing_variation_claim
WHERE combinations = 'table_3' AND scheduler = 'profile'
