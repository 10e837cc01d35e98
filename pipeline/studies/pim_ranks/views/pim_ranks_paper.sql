-- Results in the paper's configuration: sets W1 to W5, all queued at 0, 30 ranks, a window of 6, admissible tables.
-- scenario_id: scenario
-- member: admissible table
-- evidence: what that table agrees with: measured_shapes, with Table 2 and SE-Opt over SE-Full
-- set_name: set, W1 to W5
-- jobs: jobs of the set
-- batch: batch; the same jobs for every table and scheduler
-- scheduler: scheduler
-- throughput_ratio: throughput over that of se_full [1]
-- att_ratio: average turnaround time of se_full over this one [1]
-- overhead_share: time added by the scheduler, as a share of execution time: an input [1]
CREATE VIEW pim_ranks_paper AS
SELECT scenario_id, member, evidence, set_name, jobs, batch, scheduler, throughput_ratio, att_ratio, overhead_share
FROM pim_ranks_result
WHERE kind = 'sets' AND origin = 'synthetic' AND arrival = 'queued' AND ranks = 30
    AND "window" = 6 AND ooo_window IS NULL AND perf_at = 'leftover' AND objective = 'makespan'
    AND profiling_ratio IS NULL AND threshold IS NULL;
