/*
source: "thesis, Section 4.2.2, Figure 5"
statement: Beside memory-bound applications AES-E and ID gain more than SAD and RAY; Even-Split outperforms cooperative multitasking, and Profile Even-Split.
unit: yes/no
parts: {AES-E and ID gain more than SAD and RAY: yes, Even-Split outperforms cooperative: yes, Profile outperforms Even-Split: yes}
kind: yes_no
pooled: {default: ""}
configuration: geometric means over the 20 pairs of both classes, per-SM clocks, CFMS, speed-ups for equal work over cooperative multitasking at the global clock; two applications on 30 SMs with contention; each setting is a member of the surrogate curves with its maps of SM frequencies, the value is over the members, each with its maps' mean; other readings are the memory controllers that the others leave, and another law of the maps
differs: Even-Split outperforms cooperative multitasking, and Profile Even-Split, as printed. The surrogate curves know that the four are compute-bound (1.30 at 1.4 times the clock), not how far they are from that. Which of them gains more differs from member to member.
evidence: |
  WITH mean AS (
    SELECT member, exp(avg(ln(speedup)) FILTER (compute_app IN ('AES-E', 'ID')) - avg(ln(speedup)) FILTER (compute_app IN ('SAD', 'RAY'))) - 1 AS lead
    FROM gpu_sharing_variation JOIN gpu_sharing_table_3 USING (mix)
    WHERE applications = 2 AND compute_app IS NOT NULL AND reading = 'default' AND clocking = 'per_sm' AND assignment = 'cfms' GROUP BY member
  )
  SELECT min(lead) < 0 AND max(lead) > 0 AS holds, min(lead) AS least_lead, avg(lead) AS mean_lead, max(lead) AS largest_lead FROM mean
scenarios: gpu_sharing_variation WHERE applications = 2 AND classes = 'mixed' AND clocking = 'per_sm' AND assignment = 'cfms'
*/
WITH run AS (
    SELECT reading, member, map_seed, scheduler, compute_app, ln(speedup) AS speedup
    FROM gpu_sharing_variation JOIN gpu_sharing_table_3 USING (mix)
    WHERE applications = 2 AND compute_app IS NOT NULL AND clocking = 'per_sm' AND assignment = 'cfms'
),
replicated AS (
    SELECT CASE WHEN reading <> 'default' THEN reading || '/' ELSE '' END || member AS setting, map_seed::VARCHAR AS replicate, scheduler, compute_app, speedup FROM run
    UNION ALL
    SELECT reading, member, scheduler, compute_app, speedup FROM run
),
mean AS (
    SELECT
        setting, replicate,
        avg(speedup) FILTER (compute_app IN ('AES-E', 'ID')) - avg(speedup) FILTER (compute_app IN ('SAD', 'RAY')) AS lead,
        avg(speedup) FILTER (scheduler = 'even_split') AS even,
        avg(speedup) FILTER (scheduler = 'profile') AS profile
    FROM replicated
    GROUP BY ALL
)
SELECT setting, what AS part, replicate, holds AS value
FROM mean
CROSS JOIN LATERAL (
    VALUES ('AES-E and ID gain more than SAD and RAY', lead > 1e-9), ('Even-Split outperforms cooperative', even > 0),
        ('Profile outperforms Even-Split', profile > even)
) AS said (what, holds)
