-- The dialect of the queue that is closest to each dropped log, and how true its replay is in the second half of the time.
-- It is chosen by the first half: the fewest pairs of jobs in the queue together that start in the other order.
-- trace: trace
-- setting: dialect of the queue, docs/guides/fidelity.md
-- mean_wait_measured_s: mean waiting time on the machine [s]
-- mean_wait_replayed_s: mean waiting time in the replay [s]
-- mean_wait_error: replayed over measured, less one; null where nobody waited [1]
-- wait_error_least: where limits are drawn, which gives the mean over the draws, the least of them [1]
-- wait_error_most: the most of them [1]
-- discordant_pairs: share of pairs of jobs whose order of start is reversed [1]
-- discordant_queued: the same of pairs that were in the queue together; null where no two were [1]
-- near_starts: share of jobs that start within a minute of the measured start [1]
-- start_error_median_s: median distance of starts [s]
-- start_error_p90_s: 90th percentile of it [s]
-- wait_noise: mean size of mean_wait_error between executions on the machine; null = it ran once [1]
-- pairs_noise: the same of discordant_pairs [1]
-- queued_noise: the same of discordant_queued [1]
-- jobs: jobs that were compared, of both halves [1]
-- limits_assumed: share of jobs without a limit, for which the run time was taken [1]
-- held_back: share of jobs that waited over a minute although all that waited had room: users, holidays, reservations and nodes that were down are not in a log [1]
-- held_back_node_time: their node time, as a share of all jobs' [1]
CREATE VIEW closest_dialects AS
SELECT
    trace, max(setting) FILTER (closest) AS setting,
    max(value) FILTER (closest AND half = 'second' AND measure = 'mean_wait_measured_s') AS mean_wait_measured_s,
    max(value) FILTER (closest AND half = 'second' AND measure = 'mean_wait_replayed_s') AS mean_wait_replayed_s,
    max(value) FILTER (closest AND half = 'second' AND measure = 'mean_wait_error') AS mean_wait_error,
    max(lo) FILTER (closest AND half = 'second' AND measure = 'mean_wait_error') AS wait_error_least,
    max(hi) FILTER (closest AND half = 'second' AND measure = 'mean_wait_error') AS wait_error_most,
    max(value) FILTER (closest AND half = 'second' AND measure = 'discordant_pairs') AS discordant_pairs,
    max(value) FILTER (closest AND half = 'second' AND measure = 'discordant_queued') AS discordant_queued,
    max(value) FILTER (closest AND half = 'second' AND measure = 'near_starts') AS near_starts,
    max(value) FILTER (closest AND half = 'second' AND measure = 'start_error_median_s') AS start_error_median_s,
    max(value) FILTER (closest AND half = 'second' AND measure = 'start_error_p90_s') AS start_error_p90_s,
    max(noise) FILTER (closest AND half = 'second' AND measure = 'mean_wait_error') AS wait_noise,
    max(noise) FILTER (closest AND half = 'second' AND measure = 'discordant_pairs') AS pairs_noise,
    max(noise) FILTER (closest AND half = 'second' AND measure = 'discordant_queued') AS queued_noise,
    max(value) FILTER (measure = 'jobs_compared')::BIGINT AS jobs,
    max(value) FILTER (measure = 'limits_assumed') AS limits_assumed,
    max(value) FILTER (measure = 'held_back') AS held_back,
    max(value) FILTER (measure = 'held_back_node_time') AS held_back_node_time
FROM fidelity_hpc_memory
GROUP BY trace
ORDER BY trace;
