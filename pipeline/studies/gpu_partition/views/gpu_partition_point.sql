-- Schedulers of gpu_partition at each point of the generated task sets: shares with Wilson's intervals, means with
-- Student's t. Means of allocations are over the sets that have one.
-- tasks: tasks of a set
-- utilisation: sum of work / period [SMs]
-- memory_share: probability of a task to be of the memory kind [1]
-- sms: SMs of the GPU
-- setting: paper, or the options that differ from the paper's as read here
-- forbidden: inactive, or act: pairs of tasks that do not fit together are found first
-- scheduler: scheduler
-- sets: task sets [1]
-- schedulable: share of them in which all deadlines hold [1]
-- schedulable_lo: lower end of its 95 % interval (Wilson) [1]
-- schedulable_hi: upper end [1]
-- allocated: sets that have partitions, whether these fit or not [1]
-- sms_needed: mean SMs of all partitions [SMs]
-- partitions: mean number of partitions [1]
-- tasks_per_partition: mean of tasks over partitions [1]
-- scheduled_workload: mean of the sum of C(1)/T with the conflicts of the allocation [SMs]
-- scheduled_workload_lo: lower end of its 95 % interval [SMs]
-- scheduled_workload_hi: upper end [SMs]
-- workload_lower: mean without conflicts, over the same sets [SMs]
-- workload_upper: mean with all conflicts, over the same sets [SMs]
-- tests: mean tests of schedulability, over the same sets [1]
-- tests_lo: lower end of its 95 % interval [1]
-- tests_hi: upper end [1]
CREATE VIEW gpu_partition_point AS
WITH counted AS (
    SELECT
        tasks, utilisation, memory_share, sms, setting, forbidden, scheduler,
        count(schedulable) AS sets,
        avg(schedulable) AS schedulable,
        count(sms_needed) AS allocated,
        avg(sms_needed) AS sms_needed,
        avg(partitions) AS partitions,
        avg(tasks_per_partition) AS tasks_per_partition,
        avg(scheduled_workload) AS scheduled_workload,
        stddev_samp(scheduled_workload) / sqrt(count(scheduled_workload)) AS workload_error,
        avg(workload_lower) FILTER (sms_needed IS NOT NULL) AS workload_lower,
        avg(workload_upper) FILTER (sms_needed IS NOT NULL) AS workload_upper,
        avg(tests) FILTER (sms_needed IS NOT NULL) AS tests,
        stddev_samp(tests) FILTER (sms_needed IS NOT NULL) / sqrt(count(sms_needed)) AS tests_error,
        1.959963984540054 AS z
    FROM gpu_partition_result
    WHERE kind = 'generated'
    GROUP BY ALL
)
SELECT
    tasks, utilisation, memory_share, sms, setting, forbidden, scheduler, sets, schedulable,
    greatest(0, (schedulable + z * z / (2 * sets)
        - z * sqrt(schedulable * (1 - schedulable) / sets + z * z / (4 * sets * sets))) / (1 + z * z / sets))
        AS schedulable_lo,
    least(1, (schedulable + z * z / (2 * sets)
        + z * sqrt(schedulable * (1 - schedulable) / sets + z * z / (4 * sets * sets))) / (1 + z * z / sets))
        AS schedulable_hi,
    allocated, sms_needed, partitions, tasks_per_partition,
    scheduled_workload,
    scheduled_workload - t * workload_error AS scheduled_workload_lo,
    scheduled_workload + t * workload_error AS scheduled_workload_hi,
    workload_lower, workload_upper,
    tests, tests - t * tests_error AS tests_lo, tests + t * tests_error AS tests_hi
FROM counted LEFT JOIN student_t ON replicates = allocated
WHERE sets > 0
ORDER BY ALL;
