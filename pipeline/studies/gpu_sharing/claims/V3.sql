/*
source: "thesis, Section 4.2.1, Table 3"
statement: Compute-bound applications on fast SMs (CFMS) are never worse than on slow ones (CSMF), and the difference is negligible within a class.
unit: yes/no
parts: {CFMS never worse: always, negligible within a class: yes}
main: [CFMS never worse]
kind: yes_no
pooled: {default: ""}
configuration: in all of the 25 pairs of Table 3, Profile, per-SM clocks, speed-ups over cooperative multitasking at the global clock for equal work; never worse is no pair worse by more than 0.005 and some better by as much, negligible up to 0.015 (0.00 and 0.01 are printed of the five pairs within a class); two applications on 30 SMs with contention; each setting is a member of the surrogate curves with its maps of SM frequencies, the value is over the members, each with its maps' mean; other readings are the memory controllers that the others leave, and another law of the maps
differs: Within a class there are applications of different sensitivity to the clock. DVC and SHA1 are among them, by what Section 4.1 of the thesis itself prints. So it matters who gets the fast SMs.
evidence: |
  SELECT max(value) > 0.015 AS holds, max(value) FILTER (mix = 'DVC+SHA1') AS dvc_sha1, max(value) FILTER (mix = 'BPR+NN') AS bpr_nn, max(value) FILTER (mix = 'RAY+SAD') AS ray_sad
  FROM (SELECT mix, avg(abs(difference)) AS value FROM gpu_sharing_assignment_claim WHERE setting = 'default' AND classes <> 'mixed' GROUP BY mix)
scenarios: gpu_sharing_variation WHERE mix IN (SELECT mix FROM gpu_sharing_table_3) AND scheduler = 'profile' AND clocking = 'per_sm'
*/
WITH threshold (most, named) AS (
    VALUES (0.015, NULL), (0.005, 'negligible up to 0.005'), (0.03, 'negligible up to 0.03')
),
cell AS (
    SELECT coalesce(named, setting) AS setting, replicate, classes, difference, most
    FROM gpu_sharing_assignment_claim CROSS JOIN threshold
    WHERE named IS NULL OR setting = 'default'
)
SELECT
    setting, 'CFMS never worse' AS part, replicate, bool_and(difference >= -0.005) AND bool_or(difference > 0.005) AS value
FROM cell
GROUP BY setting, replicate
HAVING count(*) = 25
UNION ALL
SELECT setting, 'negligible within a class', replicate, bool_and(abs(difference) <= most)
FROM cell
WHERE classes <> 'mixed'
GROUP BY setting, replicate
HAVING count(*) = 5
