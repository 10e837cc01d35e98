-- Throughput and average turnaround time over those of se_full, by set and scheduler: geometric means over admissible
-- tables and batches. Intervals are of the mean over batches (seeds): Student's t on the logarithms, each batch being the
-- mean over the tables. What the unknown tables are worth is the range from the least to the largest mean of a table.
-- evidence: what the tables agree with: measured_shapes, with Table 2 and SE-Opt over SE-Full
-- jobs: jobs of the sets
-- set_name: W1 to W5, or all: the geometric mean of the five
-- scheduler: scheduler
-- tables: admissible tables [1]
-- batches: independent batches [1]
-- throughput: throughput over that of se_full [1]
-- throughput_lo: lower end of its 95 % interval over batches [1]
-- throughput_hi: upper end of its 95 % interval over batches [1]
-- throughput_least: least mean of a table [1]
-- throughput_most: largest mean of a table [1]
-- att: average turnaround time of se_full over this one [1]
-- att_lo: lower end of its 95 % interval over batches [1]
-- att_hi: upper end of its 95 % interval over batches [1]
-- att_least: least mean of a table [1]
-- att_most: largest mean of a table [1]
CREATE VIEW pim_ranks_speedup AS
WITH of_table AS (
    SELECT
        evidence, jobs, set_name, scheduler, count(*) AS tables,
        min(throughput) AS throughput_least, max(throughput) AS throughput_most,
        min(att) AS att_least, max(att) AS att_most
    FROM pim_ranks_claim WHERE pooled AND NOT starts_with(setting, 'FCFS overhead')
    GROUP BY ALL
),
of_batch AS (
    SELECT evidence, jobs, set_name, scheduler, replicate, avg(ln(throughput)) AS throughput, avg(ln(att)) AS att
    FROM pim_ranks_claim WHERE NOT pooled
    GROUP BY ALL
),
mean AS (
    SELECT
        evidence, jobs, set_name, scheduler, count(*) AS batches,
        avg(throughput) AS throughput, stddev_samp(throughput) / sqrt(count(*)) AS throughput_error,
        avg(att) AS att, stddev_samp(att) / sqrt(count(*)) AS att_error
    FROM of_batch
    GROUP BY ALL
)
SELECT
    evidence, jobs, set_name, scheduler, tables, batches,
    exp(throughput) AS throughput,
    exp(throughput - t * throughput_error) AS throughput_lo,
    exp(throughput + t * throughput_error) AS throughput_hi,
    throughput_least, throughput_most,
    exp(att) AS att,
    exp(att - t * att_error) AS att_lo,
    exp(att + t * att_error) AS att_hi,
    att_least, att_most
FROM mean JOIN of_table USING (evidence, jobs, set_name, scheduler)
LEFT JOIN student_t ON replicates = batches
ORDER BY evidence DESC, jobs, set_name, scheduler;
