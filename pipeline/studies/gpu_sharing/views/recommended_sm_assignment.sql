-- Which split of the SMs, and which SMs to whom, on a GPU whose SMs differ in speed: for each mix of a trace's
-- applications the best mean speed-up for equal work over the drawn maps of SM frequencies, ties (0.1 %) to the even split,
-- then to cfms.
-- trace: trace that the curves come from
-- origin: measured on a machine, or generated
-- mix: applications of the mix, joined by +
-- applications: applications of the mix [1]
-- sms: SMs of the GPU [1]
-- scheduler: even_split or profile
-- assignment: fast SMs to compute-bound applications (cfms), or slow ones (csmf)
-- split: SMs of each application, in the order of the mix [1]
-- speedup: over cooperative multitasking at the global clock, for equal work, geometric mean over maps [1]
-- speedup_least: least of a map [1]
-- over_global: over the same split with every SM at the slowest one's clock [1]
-- over_other_assignment: over the same split with the SMs the other way round; null where that was not replayed [1]
-- maps: maps of SM frequencies [1]
CREATE VIEW recommended_sm_assignment AS
WITH ran AS (
    SELECT
        scenario_id, trace, workload.origin, workload_id, workload.mix, workload.applications, sms, scheduler,
        clocking, assignment, value AS speedup
    FROM scenario
    JOIN workload_gpu_sharing AS workload USING (workload_id)
    JOIN metric USING (scenario_id)
    WHERE study = 'gpu_sharing' AND workload.kind = 'variation' AND trace IS NOT NULL
        AND metric = 'equal_work_speedup' AND coalesce(cluster_sms, 1) = 1
),
mean AS (
    SELECT
        trace, origin, workload_id, mix, applications, sms, scheduler, assignment, exp(avg(ln(speedup))) AS speedup,
        min(speedup) AS speedup_least, min(scenario_id) AS scenario_id, count(*) AS maps
    FROM ran
    WHERE clocking = 'per_sm'
    GROUP BY ALL
),
ranked AS (
    SELECT *, speedup >= 0.999 * max(speedup) OVER (PARTITION BY workload_id, sms) AS among_best FROM mean
),
best AS (
    SELECT *
    FROM ranked
    WHERE among_best
    QUALIFY row_number() OVER (
        PARTITION BY workload_id, sms ORDER BY scheduler <> 'even_split', assignment <> 'cfms'
    ) = 1
)
SELECT
    best.trace, best.origin, best.mix, best.applications, best.sms, best.scheduler, best.assignment,
    (SELECT list(held.sms ORDER BY slot) FROM outcome_gpu_sharing AS held WHERE held.scenario_id = best.scenario_id)
        AS split,
    best.speedup, best.speedup_least, best.speedup / at_one_clock.speedup AS over_global,
    best.speedup / other.speedup AS over_other_assignment, best.maps
FROM best
JOIN (FROM ran WHERE clocking = 'global') AS at_one_clock USING (workload_id, sms, scheduler)
LEFT JOIN mean AS other
    ON (other.workload_id, other.sms, other.scheduler) = (best.workload_id, best.sms, best.scheduler)
    AND other.assignment <> best.assignment
ORDER BY best.trace, best.sms, best.applications, best.mix;
