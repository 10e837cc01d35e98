-- Means over the batches of each workload, scheduler and machine, with 95 % intervals (Student's t; null for one batch).
-- workload: workload without its batch
-- kind: phased, dynamic, replayed or composed
-- trace: trace the jobs, or the laws they are drawn from, come from; null for others
-- shapes: trace the memory series of a composed workload come from
-- scheduler: scheduler
-- memory_per_node_gb: fast memory of the machine divided by its nodes; null = unlimited [GB]
-- alpha: speed of a job without fast memory [1]
-- tau_s: duration of a reconfiguration [s]
-- reconfiguration: serial, incremental or restart
-- backfilling: backfilling rule
-- dialect: parameters of backfilling reserve that are not their defaults; empty = none
-- free_start: whether memory decided at a job's start is usable at once
-- largest_by: size for largest_first
-- knowledge: what the scheduler knows of a job's memory; null = it asks for nothing
-- is_default: whether all of these parameters are the study's defaults, as in hpc_memory_result: compare schedulers and sizes among rows where it is true
-- batches: independent batches with a utilisation (one whose jobs all come at once has none) [1]
-- utilisation: mean utilisation [1]
-- utilisation_lo: lower end of its interval [1]
-- utilisation_hi: upper end of its interval [1]
-- loss: mean loss against unlimited memory on the same jobs [1]
-- loss_lo: lower end of its interval [1]
-- loss_hi: upper end of its interval [1]
-- response_ratio: mean response time over that with unlimited memory [1]
-- response_ratio_lo: lower end of its interval [1]
-- response_ratio_hi: upper end of its interval [1]
-- mean_wait_s: mean time from release to start [s]
-- wait_ratio: mean waiting time over that with unlimited memory; batches in which nobody waits there are left out [1]
-- wait_ratio_lo: lower end of its interval [1]
-- wait_ratio_hi: upper end of its interval [1]
-- reconfigurations: mean number of reconfigurations [1]
CREATE VIEW hpc_memory_summary AS
WITH means AS (
    SELECT
        workload, kind, trace, shapes, scheduler, memory_per_node_gb, alpha, tau_s, reconfiguration, backfilling,
        dialect, free_start, largest_by, knowledge, is_default,
        count(utilisation) AS batches,
        avg(utilisation) AS utilisation,
        stddev_samp(utilisation) / sqrt(count(utilisation)) AS utilisation_error,
        count(loss) AS losses,
        avg(loss) AS loss,
        stddev_samp(loss) / sqrt(count(loss)) AS loss_error,
        count(slower) AS slowers,
        avg(slower) AS response_ratio,
        stddev_samp(slower) / sqrt(count(slower)) AS response_error,
        avg(mean_wait_s) AS mean_wait_s,
        count(longer) AS longers,
        avg(longer) AS wait_ratio,
        stddev_samp(longer) / sqrt(count(longer)) AS wait_error,
        avg(reconfigurations) AS reconfigurations
    FROM (
        SELECT
            *, mean_response_s / nullif(unlimited_response_s, 0) AS slower,
            mean_wait_s / nullif(unlimited_wait_s, 0) AS longer
        FROM hpc_memory_result
    )
    GROUP BY ALL
)
SELECT
    workload, kind, trace, shapes, scheduler, memory_per_node_gb, alpha, tau_s, reconfiguration, backfilling,
    dialect, free_start, largest_by, knowledge, is_default, batches,
    utilisation,
    utilisation - of_utilisation.t * utilisation_error AS utilisation_lo,
    utilisation + of_utilisation.t * utilisation_error AS utilisation_hi,
    loss,
    loss - of_loss.t * loss_error AS loss_lo,
    loss + of_loss.t * loss_error AS loss_hi,
    response_ratio,
    response_ratio - of_response.t * response_error AS response_ratio_lo,
    response_ratio + of_response.t * response_error AS response_ratio_hi,
    mean_wait_s,
    wait_ratio,
    wait_ratio - of_wait.t * wait_error AS wait_ratio_lo,
    wait_ratio + of_wait.t * wait_error AS wait_ratio_hi,
    reconfigurations
FROM means
LEFT JOIN student_t AS of_utilisation ON of_utilisation.replicates = batches
LEFT JOIN student_t AS of_loss ON of_loss.replicates = losses
LEFT JOIN student_t AS of_response ON of_response.replicates = slowers
LEFT JOIN student_t AS of_wait ON of_wait.replicates = longers
ORDER BY
    workload, alpha, tau_s, reconfiguration, backfilling, dialect, free_start, largest_by, knowledge,
    memory_per_node_gb, scheduler;
