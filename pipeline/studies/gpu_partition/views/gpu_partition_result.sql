-- Measures of each scenario of gpu_partition, with what its task set is.
-- scenario_id: scenario
-- workload: family of the task set; rows of one family differ in the set's number, scheduler and options
-- kind: generated, dropped, or measured (of a trace's SM curves, with drawn periods)
-- trace: trace that the tasks come from; null for generated ones
-- origin: synthetic, measured, generated or composed
-- batch: number of the task set in its family
-- tasks: tasks of the set
-- utilisation: sum of work / period [SMs]
-- memory_share: probability of a generated task to be of the memory kind [1]
-- sms: SMs of the GPU
-- scheduler: scheduler
-- setting: paper, or the options that differ from the paper's as read here, in one text; forbidden is not among them, nor are literal of measured curves and mig of measured slices
-- forbidden: inactive, or act: pairs of tasks that do not fit together are found first
-- is_default: whether setting is paper and forbidden inactive
-- schedulable: 1 where all deadlines hold; null where it is not known [1]
-- sms_needed: SMs of all partitions; null where there are none [SMs]
-- sms_spare: SMs left over; below 0 where the partitions do not fit [SMs]
-- sms_lower: no partitions need fewer; of optimal only [SMs]
-- partitions: partitions [1]
-- tasks_per_partition: tasks a partition [1]
-- scheduled_workload: sum of C(1)/T with the conflicts of the allocation [SMs]
-- workload_lower: the same without conflicts [SMs]
-- workload_upper: the same with all conflicts [SMs]
-- excess: scheduled workload between its bounds: 0 no conflicts, 1 all of them [1]
-- merges: merges [1]
-- moves: steps of local_search [1]
-- tests: tests of schedulability [1]
-- steps: tasks that the sums of the analysis went over: what its time is made of [1]
-- undecided: tests that gave up and count as failed, as sets do that are loaded to the brim and whose hyperperiod explodes [1]
CREATE VIEW gpu_partition_result AS
WITH measures AS (
    PIVOT (SELECT * FROM metric WHERE scenario_id IN (SELECT scenario_id FROM scenario WHERE study = 'gpu_partition'))
    ON metric IN (
        'schedulable', 'sms_needed', 'sms_lower', 'partitions', 'tasks_per_partition', 'scheduled_workload',
        'workload_lower', 'workload_upper', 'merges', 'moves', 'tests', 'steps', 'undecided'
    )
    USING first(value) GROUP BY scenario_id
)
SELECT
    scenario.scenario_id,
    family AS workload,
    kind, workload_gpu_partition.trace, origin, batch, tasks, utilisation, memory_share,
    scenario.sms, scenario.scheduler,
    coalesce(nullif(concat_ws(', ',
        CASE
            WHEN execution_mode <> CASE WHEN kind = 'measured' THEN 'literal' ELSE 'scaled' END
                THEN execution_mode || ' execution times'
        END,
        CASE WHEN edf <> 'preemptive' THEN 'non-preemptive' END,
        CASE WHEN priority <> 'edf' THEN 'deadline-monotonic' END,
        CASE WHEN "order" <> 'decreasing' THEN "order" || ' order' END,
        CASE WHEN forbidden_scope <> 'tasks' THEN 'pairs of partitions forbidden' END,
        CASE WHEN stop <> 'fit' THEN 'merged to exhaustion' END,
        CASE WHEN search <> 'linear' THEN search || ' search' END,
        CASE WHEN sizes <> CASE WHEN sliced.trace IS NULL THEN 'any' ELSE 'mig' END THEN sizes || ' sizes' END,
        CASE WHEN hyperperiod <> 4000 THEN format('periods divide {}', hyperperiod) END
    ), ''), 'paper') AS setting,
    forbidden,
    setting = 'paper' AND forbidden = 'inactive' AS is_default,
    schedulable, sms_needed, scenario.sms - sms_needed AS sms_spare, sms_lower, partitions, tasks_per_partition,
    scheduled_workload, workload_lower, workload_upper,
    (scheduled_workload - workload_lower) / nullif(workload_upper - workload_lower, 0) AS excess,
    merges, moves, tests, steps, coalesce(undecided, 0) AS undecided
FROM scenario
JOIN measures USING (scenario_id)
JOIN workload_gpu_partition USING (workload_id)
LEFT JOIN (SELECT DISTINCT trace FROM sm_curve WHERE mig_slices IS NOT NULL) AS sliced
    ON kind = 'measured' AND sliced.trace = workload_gpu_partition.trace;
