-- What the claims on W1 to W5 are judged on: geometric means over the sets (set 'all') and of each set, in every
-- admissible table and batch, and pooled: in every table over its batches, the table being the replicate.
-- setting: pooled: Measured shapes, or another share of time that SM-Opt (FCFS) adds; else the table: Measured shapes/0003
-- pooled: whether it is a mean over the batches of a table
-- evidence: what the tables agree with: measured_shapes, with Table 2 and SE-Opt over SE-Full
-- replicate: pooled the table, else the batch
-- jobs: jobs of the sets
-- set_name: W1 to W5, or all: the geometric mean of the five
-- scheduler: scheduler
-- throughput: throughput over that of se_full [1]
-- att: average turnaround time of se_full over this one [1]
CREATE VIEW pim_ranks_claim AS
WITH run AS (
    SELECT
        'Measured shapes' AS ensemble, split_part(member, '/', -1) AS member, evidence, batch::VARCHAR AS batch, jobs, set_name,
        scheduler, throughput_ratio, att_ratio
    FROM pim_ranks_paper
),
replicated AS (
    SELECT ensemble || '/' || member AS setting, false AS pooled, batch AS replicate, * EXCLUDE (ensemble, member, batch) FROM run
    UNION ALL
    SELECT ensemble, true, member, * EXCLUDE (ensemble, member, batch) FROM run
    UNION ALL
    -- All jobs there at once, what FCFS adds to each stretches its whole schedule.
    SELECT
        'FCFS overhead ' || percent || ' %', true, member, * EXCLUDE (ensemble, member, batch, overhead, percent, stretch) REPLACE (
            throughput_ratio * stretch AS throughput_ratio, att_ratio * stretch AS att_ratio
        )
    FROM (
        SELECT *, CASE scheduler WHEN 'sm_opt_fcfs' THEN 1.055 / (1 + overhead) ELSE 1 END AS stretch
        FROM run CROSS JOIN (VALUES (0.045, '4.5'), (0.06, '6')) AS assumed (overhead, percent)
    )
)
SELECT
    setting, pooled, evidence, replicate, jobs, coalesce(set_name, 'all') AS set_name, scheduler,
    exp(avg(ln(throughput_ratio))) AS throughput,
    exp(avg(ln(att_ratio))) AS att
FROM replicated
GROUP BY GROUPING SETS (
    (setting, pooled, evidence, replicate, jobs, scheduler, set_name),
    (setting, pooled, evidence, replicate, jobs, scheduler)
)
-- A mean over fewer than the five sets is not the paper's.
HAVING GROUPING(set_name) = 0 OR count(DISTINCT set_name) = 5;
