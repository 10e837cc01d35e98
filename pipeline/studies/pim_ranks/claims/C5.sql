/*
source: "ICS 2025, Section 4.2, Figure 8b"
statement: In W4 availability-aware allocation (PIM-CARE) is not effective for the average turnaround time, as it is in the other sets.
unit: yes/no
paper_value: 1
kind: yes_no
pooled: {Measured shapes: Measured shapes/}
configuration: turnaround time of PIM-CARE of 24 jobs over that of SM-Opt (OoO), no better in W4, and better in the geometric mean over W1, W2 and W3 (in W5 the paper sees no difference); sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table with its batches, the value is over the tables with measured shapes, each with its batches' mean
differs: It depends on performance tables that are not published. PIM-CARE gains turnaround time in W4 in most of those with measured shapes, and in some it does not.
evidence: |
  SELECT avg((care.att > ooo.att)::INT) FILTER (set_name = 'W4') BETWEEN 0.05 AND 0.95 AS holds, avg((care.att > ooo.att)::INT) FILTER (set_name = 'W4') AS tables_with_a_gain_in_w4,
    avg((care.att > ooo.att)::INT) FILTER (set_name IN ('W1', 'W2', 'W3')) AS in_w1_to_w3
  FROM pim_ranks_claim AS care JOIN pim_ranks_claim AS ooo USING (setting, replicate, set_name, jobs)
  WHERE setting = 'Measured shapes' AND jobs = 24 AND care.scheduler = 'pim_care' AND ooo.scheduler = 'sm_opt_ooo'
scenarios: pim_ranks_paper WHERE jobs = 24 AND scheduler IN ('se_full', 'sm_opt_ooo', 'pim_care')
*/
SELECT
    setting, replicate,
    bool_and(care.att <= ooo.att) FILTER (set_name = 'W4')
        AND avg(ln(care.att / ooo.att)) FILTER (set_name IN ('W1', 'W2', 'W3')) > 0 AS value
FROM pim_ranks_claim AS care JOIN pim_ranks_claim AS ooo USING (setting, replicate, set_name, jobs)
WHERE jobs = 24 AND set_name IN ('W1', 'W2', 'W3', 'W4') AND care.scheduler = 'pim_care' AND ooo.scheduler = 'sm_opt_ooo'
GROUP BY ALL
HAVING count(*) = 4
