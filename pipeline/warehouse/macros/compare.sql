-- Two schedulers compared with each other: every measure of every workload that both were replayed on, with the mean of the
-- paired differences and its 95 % interval (Student's t over replicates: common random numbers, so that what is random in a
-- workload cancels). A scheduler that is not there is an error, and so are two that no study has both of.
-- study: study
-- workload: workload without its replicate
-- setting: parameters that differ among the runs of this workload, name and value; after a semicolon those that only one of the two takes
-- parameters: the same as a map from name to value, to ask for one exactly: parameters['memory_per_node_gb'] = '125'
-- metric: measure, as in metric
-- mean_a: mean of the first scheduler, over the pairs [as metric]
-- mean_b: mean of the second [as metric]
-- difference: mean of the first less the second, pair by pair [as metric]
-- difference_lo: lower end of its 95 % interval; null for one replicate [as metric]
-- difference_hi: upper end; null for one replicate [as metric]
-- replicates: independent repetitions that the interval is over [1]
-- pairs: pairs of runs in them [1]
CREATE MACRO compare(scheduler_a, scheduler_b) AS TABLE
WITH common AS MATERIALIZED (
    SELECT unnest(CASE
        WHEN count(*) > 0 THEN list(study)
        ELSE error(
            'no study has both schedulers, ' || scheduler_a || ' and ' || scheduler_b || '; which has which: FROM scheduler'
        )
    END) AS study
    FROM (
        SELECT study FROM scheduler
        WHERE scheduler = known_name(scheduler_a, (SELECT list(DISTINCT scheduler) FROM scheduler), 'scheduler')
        INTERSECT
        SELECT study FROM scheduler
        WHERE scheduler = known_name(scheduler_b, (SELECT list(DISTINCT scheduler) FROM scheduler), 'scheduler')
    )
),
variants AS MATERIALIZED (
    -- Parameters take few different settings over many runs: these get a number here, and are distinguished by name below.
    SELECT row_number() OVER () AS variant, *
    FROM (
        SELECT list(scenario_id) AS scenarios, COLUMNS(* EXCLUDE (
            scenario_id, study, scheduler, seed, workload_id, timeline, code_version, {keys}, {drawn}
        ))
        FROM scenario
        WHERE scheduler IN (scheduler_a, scheduler_b) AND study IN (FROM common)
        GROUP BY ALL
    )
),
run AS (
    SELECT
        comparable_run.*, variant,
        -- What is drawn anew for each model or replicate is the same in both runs of a pair, and no question of its own.
        hash({drawn}) AS drawn
    FROM (SELECT variant, unnest(scenarios) AS scenario_id FROM variants)
    JOIN comparable_run USING (scenario_id)
    JOIN scenario USING (scenario_id)
),
parameter AS (
    SELECT study, workload, scheduler, variant, name, regexp_replace(full_value, '\.0$', '') AS value
    FROM (
        UNPIVOT (SELECT variant, COLUMNS(variants.* EXCLUDE (variant, scenarios))::VARCHAR FROM variants)
        ON COLUMNS(* EXCLUDE (variant)) INTO NAME name VALUE full_value
    )
    JOIN (SELECT DISTINCT study, workload, scheduler, variant FROM run) USING (variant)
),
-- A parameter that only one of the two takes tells variants of it apart, it does not keep them from being paired.
taken AS (
    SELECT study, name, count(DISTINCT scheduler) = 2 AS by_both FROM parameter GROUP BY study, name
),
varied AS (
    SELECT study, workload, name FROM parameter GROUP BY study, workload, name HAVING count(DISTINCT value) > 1
),
setting AS (
    SELECT
        study, workload, scheduler, variant,
        map_from_entries(list({'k': name, 'v': value} ORDER BY name) FILTER (varied.study IS NOT NULL)) AS parameters,
        coalesce(string_agg(name || ' ' || value, ', ' ORDER BY name) FILTER (by_both), '') AS pairing,
        string_agg(name || ' ' || value, ', ' ORDER BY name) FILTER (by_both AND varied.study IS NOT NULL) AS shared,
        string_agg(name || ' ' || value, ', ' ORDER BY name) FILTER (NOT by_both AND varied.study IS NOT NULL) AS own
    FROM parameter
    JOIN taken USING (study, name)
    LEFT JOIN varied USING (study, workload, name)
    GROUP BY ALL
),
described AS (
    SELECT run.*, coalesce(pairing, '') AS pairing, shared, own, parameters
    FROM run LEFT JOIN setting USING (study, workload, scheduler, variant)
),
pair AS (
    SELECT
        a.study, a.workload, a.replicate, concat_ws('; ', a.shared, a.own, b.own) AS setting,
        map_concat(a.parameters, b.parameters) AS parameters,
        a.scenario_id AS run_a, b.scenario_id AS run_b
    FROM described AS a
    JOIN described AS b USING (study, workload, workload_id, drawn, pairing)
    WHERE a.scheduler = scheduler_a AND b.scheduler = scheduler_b
),
within_replicate AS (
    SELECT
        study, workload, setting, replicate, a.metric, any_value(parameters) AS parameters,
        avg(a.value) AS mean_a, avg(b.value) AS mean_b, avg(a.value - b.value) AS difference, count(*) AS pairs
    FROM pair
    JOIN metric AS a ON a.scenario_id = run_a
    JOIN metric AS b ON b.scenario_id = run_b AND b.metric = a.metric
    WHERE a.value IS NOT NULL AND b.value IS NOT NULL
    GROUP BY ALL
),
over_replicates AS (
    SELECT
        study, workload, setting, metric, any_value(parameters) AS parameters,
        avg(mean_a) AS mean_a, avg(mean_b) AS mean_b, avg(difference) AS difference,
        stddev_samp(difference) / sqrt(count(*)) AS error, count(*) AS replicates, sum(pairs)::BIGINT AS pairs
    FROM within_replicate
    GROUP BY ALL
)
SELECT
    study, workload, setting, parameters, metric, mean_a, mean_b, difference,
    difference - t * error AS difference_lo,
    difference + t * error AS difference_hi,
    replicates, pairs
FROM over_replicates LEFT JOIN student_t USING (replicates)
ORDER BY study, workload, setting, metric;
