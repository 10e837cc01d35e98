/*
source: "thesis, Section 4.2.1, Table 3"
statement: The speed-ups of 25 pairs over cooperative multitasking at the global clock, compute-bound applications on slow SMs (CSMF) and on fast ones (CFMS).
unit: share of the 25 pairs whose speed-up is the printed one
parts: {CSMF: yes, CFMS: yes}
kind: yes_no
configuration: the 50 cells one by one (fig_gpu_sharing_table_3), a pair being a replicate, the mean over the members of the surrogate curves with their maps within 10 % of the printed number; Profile, per-SM clocks, speed-ups for equal work, 30 SMs with contention; settings are the memory controllers that the others leave, another law of the maps, and 5 or 20 % for the 10 %
differs: The surrogate curves know of an application what the thesis prints of it, its class and its speed-up on few SMs. The cells depend on whole curves, which are not printed. In the mean the two agree. Single cells are from a fifth too low to half too high.
evidence: |
  WITH cell AS (
    SELECT mix, avg(ours.cfms) / avg(printed.cfms) - 1 AS off FROM gpu_sharing_assignment_claim AS ours JOIN gpu_sharing_table_3 AS printed USING (mix)
    WHERE setting = 'default' GROUP BY mix
  )
  SELECT max(abs(off)) > 0.1 AS holds, avg(off) AS mean_difference, min(off) AS least, max(off) AS most FROM cell
scenarios: gpu_sharing_variation WHERE mix IN (SELECT mix FROM gpu_sharing_table_3) AND scheduler = 'profile' AND clocking = 'per_sm'
*/
WITH threshold (most, named) AS (VALUES (0.1, NULL), (0.05, 'within 5 %'), (0.2, 'within 20 %')),
cell AS (
    SELECT
        coalesce(named, setting) AS setting, mix, any_value(most) AS most,
        avg(ours.csmf) / any_value(printed.csmf) AS csmf, avg(ours.cfms) / any_value(printed.cfms) AS cfms
    FROM gpu_sharing_assignment_claim AS ours JOIN gpu_sharing_table_3 AS printed USING (mix) CROSS JOIN threshold
    -- Members are no settings here: a cell is judged by their mean.
    WHERE NOT contains(setting, '/') AND (named IS NULL OR setting = 'default')
    GROUP BY ALL
)
SELECT setting, assignment AS part, mix AS replicate, abs(ratio - 1) <= most AS value
FROM cell CROSS JOIN LATERAL (VALUES ('CSMF', csmf), ('CFMS', cfms)) AS said (assignment, ratio)
