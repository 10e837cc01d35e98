-- Average turnaround time of 24 jobs by set and scheduler, over that of se_full (paper, Figure 8b).
-- evidence: what the tables agree with: measured_shapes, with Table 2 and SE-Opt over SE-Full
-- set_name: W1 to W5, or all: the geometric mean of the five
-- scheduler: scheduler
-- tables: admissible tables [1]
-- batches: independent batches [1]
-- att: average turnaround time of se_full over this one; above 1 is better [1]
-- att_lo: lower end of its 95 % interval over batches (Student's t on the logarithms) [1]
-- att_hi: upper end of its 95 % interval over batches [1]
-- att_least: least mean of an admissible table [1]
-- att_most: largest mean of an admissible table [1]
CREATE VIEW fig_pim_ranks_8b AS
SELECT evidence, set_name, scheduler, tables, batches, att, att_lo, att_hi, att_least, att_most
FROM pim_ranks_speedup
WHERE jobs = 24
ORDER BY evidence DESC, set_name, scheduler;
