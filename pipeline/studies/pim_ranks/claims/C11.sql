/*
source: "ICS 2025, Section 4.2, Figure 8a"
statement: In W5 PIM-CARE adds no throughput over SM-Opt (OoO), as it does in the other sets, resources being fully used as they are there.
unit: yes/no
paper_value: 1
kind: yes_no
pooled: {Measured shapes: Measured shapes/}
configuration: throughput of PIM-CARE of 24 jobs over that of SM-Opt (OoO) within 2 % in W5, and more than 2 % above it in the geometric mean over W1 to W4; sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table with its batches, the value is over the tables with measured shapes, each with its batches' mean
differs: "In W5 the two are alike as printed; that PIM-CARE is ahead in the other sets depends on performance tables that are not published."
evidence: |
  WITH ratio AS (
    SELECT replicate, max(care.throughput / ooo.throughput) FILTER (set_name = 'W5') AS w5,
      exp(avg(ln(care.throughput / ooo.throughput)) FILTER (set_name IN ('W1', 'W2', 'W3', 'W4'))) AS others
    FROM pim_ranks_claim AS care JOIN pim_ranks_claim AS ooo USING (setting, replicate, set_name, jobs)
    WHERE setting = 'Measured shapes' AND jobs = 24 AND care.scheduler = 'pim_care' AND ooo.scheduler = 'sm_opt_ooo' GROUP BY ALL
  )
  SELECT avg((w5 BETWEEN 0.98 AND 1.02)::INT) > 0.5 AND avg((others > 1.02)::INT) BETWEEN 0.05 AND 0.95 AS holds, avg((w5 BETWEEN 0.98 AND 1.02)::INT) AS tables_alike_in_w5,
    avg((others > 1.02)::INT) AS tables_ahead_in_the_others, avg(w5) AS w5, avg(others) AS w1_to_w4
  FROM ratio
scenarios: pim_ranks_paper WHERE jobs = 24 AND scheduler IN ('se_full', 'sm_opt_ooo', 'pim_care')
*/
WITH threshold (times, named) AS (VALUES (1.02, NULL), (1.01, 'no more up to 1 %'), (1.05, 'no more up to 5 %'))
SELECT
    coalesce(named, setting) AS setting, replicate,
    bool_and(care.throughput / ooo.throughput BETWEEN 2 - times AND times) FILTER (set_name = 'W5')
        AND avg(ln(care.throughput / ooo.throughput)) FILTER (set_name <> 'W5') > ln(any_value(times)) AS value
FROM pim_ranks_claim AS care JOIN pim_ranks_claim AS ooo USING (setting, replicate, set_name, jobs) CROSS JOIN threshold
WHERE (named IS NULL OR setting = 'Measured shapes') AND jobs = 24 AND set_name <> 'all' AND care.scheduler = 'pim_care' AND ooo.scheduler = 'sm_opt_ooo'
GROUP BY ALL
HAVING count(*) = 5
