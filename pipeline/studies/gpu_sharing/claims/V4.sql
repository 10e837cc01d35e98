/*
source: "thesis, Section 4.2.1, Table 3"
statement: CFMS gains most over CSMF beside NN.
unit: yes/no
parts: {AES-E: yes, ID: yes, RAY: yes, SAD: yes}
kind: yes_no
pooled: {default: ""}
configuration: of the five memory-bound applications beside each compute-bound one, Profile, per-SM clocks, speed-ups over cooperative multitasking at the global clock for equal work; two applications on 30 SMs with contention; each setting is a member of the surrogate curves with its maps of SM frequencies, the value is over the members, each with its maps' mean; other readings are the memory controllers that the others leave, and another law of the maps
differs: It depends on the memory controllers that are read to be an application's. On its part of them SHA1 is as little sensitive to the clock as NN by Figure 4, so the two cannot be far apart. On all that a compute-bound application leaves, NN alone is not, and the claim holds in most members.
evidence: |
  SELECT avg(difference) FILTER (memory_app = 'NN') < 1.5 * avg(difference) FILTER (memory_app = 'SHA1') AS holds, avg(difference) FILTER (memory_app = 'NN') AS beside_nn,
    avg(difference) FILTER (memory_app = 'SHA1') AS beside_sha1, avg(difference) FILTER (memory_app NOT IN ('NN', 'SHA1')) AS beside_the_others,
    (SELECT avg(difference) FROM gpu_sharing_assignment_claim WHERE setting = 'memory controllers left' AND memory_app = 'NN') AS controllers_left_beside_nn,
    (SELECT avg(difference) FROM gpu_sharing_assignment_claim WHERE setting = 'memory controllers left' AND memory_app = 'SHA1') AS beside_sha1_then
  FROM gpu_sharing_assignment_claim WHERE setting = 'default' AND classes = 'mixed'
scenarios: gpu_sharing_variation WHERE mix IN (SELECT mix FROM gpu_sharing_table_3) AND scheduler = 'profile' AND clocking = 'per_sm' AND classes = 'mixed'
*/
SELECT
    setting, compute_app AS part, replicate,
    max(difference) FILTER (memory_app = 'NN') > max(difference) FILTER (memory_app <> 'NN') AS value
FROM gpu_sharing_assignment_claim
WHERE classes = 'mixed'
GROUP BY ALL
HAVING count(*) = 5
