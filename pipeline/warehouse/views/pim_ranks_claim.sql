-- What the claims on W1 to W5 are judged on: geometric means over the sets (set 'all') and of each set, in every
-- admissible table and batch, and as setting 'default' in every table over its batches, the table being the replicate.
-- setting: default, or the admissible table
-- replicate: in default the table, else the batch
-- jobs: jobs of the sets
-- set_name: W1 to W5, or all: the geometric mean of the five
-- scheduler: scheduler
-- throughput: throughput over that of se_full [1]
-- att: average turnaround time of se_full over this one [1]
CREATE VIEW pim_ranks_claim AS
WITH run AS (
    SELECT member, batch::VARCHAR AS batch, jobs, set_name, scheduler, throughput_ratio, att_ratio FROM pim_ranks_paper
),
replicated AS (
    SELECT member AS setting, batch AS replicate, * EXCLUDE (member, batch) FROM run
    UNION ALL
    SELECT 'default' AS setting, member AS replicate, * EXCLUDE (member, batch) FROM run
)
SELECT
    setting, replicate, jobs, coalesce(set_name, 'all') AS set_name, scheduler,
    exp(avg(ln(throughput_ratio))) AS throughput,
    exp(avg(ln(att_ratio))) AS att
FROM replicated
GROUP BY GROUPING SETS ((setting, replicate, jobs, scheduler, set_name), (setting, replicate, jobs, scheduler))
-- A mean over fewer than the five sets is not the paper's.
HAVING GROUPING(set_name) = 0 OR count(DISTINCT set_name) = 5;
