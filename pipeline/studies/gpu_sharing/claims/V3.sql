/*
source: "thesis, Section 4.2.1, Table 3"
statement: Compute-bound applications on fast SMs (CFMS) are never worse than on slow ones (CSMF), and the difference is negligible within a class.
unit: yes/no
parts: {CFMS never worse: 1, negligible within a class: 1}
kind: yes_no
pooled: {default: ""}
configuration: in all of the 25 pairs of Table 3, Profile, per-SM clocks, speed-ups over cooperative multitasking at the global clock for equal work; worse means by more than 0.005, negligible up to 0.015 (0.00 and 0.01 are printed of the five pairs within a class); two applications on 30 SMs with contention; each setting is a member of the surrogate curves with its maps of SM frequencies, the value is over the members, each with its maps' mean
differs: Within a class there are applications of different sensitivity to the clock, among them DVC and SHA1 by what Section 4.1 of the thesis itself prints, so that who gets the fast SMs does matter.
scenarios: gpu_sharing_variation WHERE mix IN (SELECT mix FROM gpu_sharing_table_3) AND scheduler = 'profile' AND clocking = 'per_sm'
*/
SELECT
    setting, 'CFMS never worse' AS part, replicate, bool_and(difference >= -0.005) AS value
FROM gpu_sharing_assignment_claim
GROUP BY setting, replicate
HAVING count(*) = 25
UNION ALL
SELECT setting, 'negligible within a class', replicate, bool_and(abs(difference) <= 0.015)
FROM gpu_sharing_assignment_claim
WHERE classes <> 'mixed'
GROUP BY setting, replicate
HAVING count(*) = 5
