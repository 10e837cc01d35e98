-- Throughput and average turnaround time over those of se_full by the number of jobs, geometric mean over W1 to W5 (paper,
-- Figure 8c).
-- evidence: what the tables agree with: measured_shapes, with Table 2 and SE-Opt over SE-Full
-- jobs: jobs of the sets
-- scheduler: scheduler
-- tables: admissible tables [1]
-- batches: independent batches [1]
-- throughput: throughput over that of se_full [1]
-- throughput_lo: lower end of its 95 % interval over batches (Student's t on the logarithms) [1]
-- throughput_hi: upper end of its 95 % interval over batches [1]
-- throughput_least: least mean of an admissible table [1]
-- throughput_most: largest mean of an admissible table [1]
-- att: average turnaround time of se_full over this one [1]
-- att_lo: lower end of its 95 % interval over batches [1]
-- att_hi: upper end of its 95 % interval over batches [1]
-- att_least: least mean of an admissible table [1]
-- att_most: largest mean of an admissible table [1]
CREATE VIEW fig_pim_ranks_8c AS
SELECT * EXCLUDE (set_name)
FROM pim_ranks_speedup
WHERE set_name = 'all' AND jobs IN (12, 24, 36)
ORDER BY evidence DESC, jobs, scheduler;
