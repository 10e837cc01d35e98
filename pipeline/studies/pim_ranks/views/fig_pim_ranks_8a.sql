-- Throughput of 24 jobs by set and scheduler, over that of se_full (paper, Figure 8a).
-- evidence: what the tables agree with: measured_shapes, with Table 2 and SE-Opt over SE-Full
-- set_name: W1 to W5, or all: the geometric mean of the five
-- scheduler: scheduler
-- tables: admissible tables [1]
-- batches: independent batches [1]
-- throughput: throughput over that of se_full; above 1 is better [1]
-- throughput_lo: lower end of its 95 % interval over batches (Student's t on the logarithms) [1]
-- throughput_hi: upper end of its 95 % interval over batches [1]
-- throughput_least: least mean of an admissible table [1]
-- throughput_most: largest mean of an admissible table [1]
CREATE VIEW fig_pim_ranks_8a AS
SELECT
    evidence, set_name, scheduler, tables, batches, throughput, throughput_lo, throughput_hi, throughput_least, throughput_most
FROM pim_ranks_speedup
WHERE jobs = 24
ORDER BY evidence DESC, set_name, scheduler;
