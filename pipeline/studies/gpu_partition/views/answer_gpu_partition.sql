-- What the terminal and the page say of real-time tasks on a GPU, and of slices that serve models: which scheduler partitions
-- it, and how many SMs or GPUs are enough. From recommended_gpu_partition and fewest_slices.
-- columns: as answer
CREATE VIEW answer_gpu_partition AS
WITH marked AS (
    SELECT *, coalesce(lag(scheduler) OVER by_load IS DISTINCT FROM scheduler, true)::INT AS begins
    FROM recommended_gpu_partition
    WINDOW by_load AS (PARTITION BY trace, tasks, sms ORDER BY utilisation, question)
),
numbered AS (
    SELECT *, sum(begins) OVER (PARTITION BY trace, tasks, sms ORDER BY utilisation, question) AS run FROM marked
),
-- Loads that follow each other and have the same scheduler stand in one row.
loads AS (
    SELECT
        trace, tasks, sms, run, scheduler, min(utilisation) AS first_load, max(utilisation) AS last_load,
        count(*) AS settings, arg_min(runner_up, margin) AS runner_up, min(margin) AS margin,
        arg_min(margin_lo, margin) AS margin_lo, arg_min(margin_hi, margin) AS margin_hi, arg_min(tied, margin) AS tied
    FROM numbered
    GROUP BY ALL
),
-- A set may fail at a load and none at a larger one: what is said to hold ends below the first load that fails.
to_failing AS (
    SELECT *, coalesce(utilisation < min(utilisation) FILTER (fails) OVER (PARTITION BY trace, tasks, sms), true) AS holds
    FROM (SELECT *, coalesce(sets_held, 0) < replicates AS fails FROM recommended_gpu_partition)
),
held AS (
    SELECT
        trace, tasks, sms, origin, count(*) AS questions, max(replicates) AS sets,
        max(utilisation) FILTER (holds) AS held_up_to,
        max(sms_enough) FILTER (holds) AS sms_enough,
        min(replicates) FILTER (holds) AS sets_at_load,
        min(utilisation) FILTER (sets_held < replicates AND sets_held > 0) AS some_at,
        arg_min(sets_held, utilisation) FILTER (sets_held < replicates AND sets_held > 0) AS some_held,
        arg_min(replicates, utilisation) FILTER (sets_held < replicates AND sets_held > 0) AS some_of,
        arg_max(value, utilisation) FILTER (scheduler IS NOT NULL) AS share_held,
        max(utilisation) FILTER (scheduler IS NOT NULL) AS largest_load
    FROM to_failing
    GROUP BY ALL
),
-- Seven slices make a GPU: sizes and loads are in the unit of the machine.
units AS (
    SELECT held.*, if(sliced IS NULL, 'SMs', 'slices') AS parts, if(sliced IS NULL, 1, 7 / sms) AS of_sm
    FROM held LEFT JOIN (SELECT DISTINCT trace, true AS sliced FROM sm_curve WHERE mig_slices IS NOT NULL) AS sliced USING (trace)
),
in_parts AS (
    SELECT
        * REPLACE (
            sms_enough * of_sm AS sms_enough, held_up_to * of_sm AS held_up_to, some_at * of_sm AS some_at,
            largest_load * of_sm AS largest_load
        ),
        round(sms * of_sm)::INT || ' ' || parts AS machine
    FROM units
),
tasks AS (
    SELECT
        'tasks' AS topic, nullif(trace, 'generated') AS trace,
        CASE WHEN trace = 'generated' THEN tasks || ' tasks, generated' ELSE trace END AS subject, origin,
        tasks || ' tasks on ' || machine || '; '
            || CASE WHEN sets > 1 THEN sets || ' sets at each load' ELSE 'one set' END AS about,
        'load ' || said_number(first_load * of_sm)
            || CASE WHEN last_load > first_load THEN '–' || said_number(last_load * of_sm) ELSE '' END AS setting,
        scheduler, said_margin(runner_up, margin, margin_lo, margin_hi, 'difference', tied, settings > 1) AS gain,
        runner_up, margin, margin_lo, margin_hi, 'difference' AS margin_kind, tied,
        coalesce(
            nullif(
                concat_ws(
                    '; ',
                    CASE
                        WHEN held_up_to IS NOT NULL
                            THEN said_number(sms_enough) || ' ' || parts || ' hold '
                                || CASE WHEN sets > 1 THEN 'every set' ELSE 'the set' END
                                || CASE WHEN questions > 1 THEN ' up to load ' || said_number(held_up_to) ELSE '' END
                                -- Clopper and Pearson's lower bound where all of n sets hold, rounded down.
                                || CASE
                                    WHEN sets_at_load > 1
                                        THEN ', so at least '
                                            || said_share(floor(100 * pow(0.05, 1 / sets_at_load)) / 100, digits := 0)
                                            || ' of such sets with 95 % confidence'
                                    ELSE ''
                                END
                    END,
                    CASE
                        WHEN some_at IS NOT NULL
                            THEN said_number(some_held) || ' of ' || said_number(some_of) || ' sets fit'
                                || CASE WHEN questions > 1 THEN ' at load ' || said_number(some_at) ELSE '' END
                    END
                ),
                ''
            ),
            'no number of ' || parts || ' that was tried'
        ) AS amount,
        CASE
            WHEN sets > 1 AND share_held IS NOT NULL
                THEN said_share(share_held, digits := 0) || ' of the sets are held at load ' || said_number(largest_load)
        END AS details,
        [1, (trace = 'generated')::INT, -sms, tasks, first_load]::DOUBLE[] AS position
    FROM loads JOIN in_parts USING (trace, tasks, sms)
),
slices AS (
    SELECT
        'slices' AS topic, trace, trace AS subject, trace_kind AS origin,
        count(*) || ' sets of models: GPUs in slices instead of whole ones' AS about,
        CASE WHEN count(method) > 0 THEN '' END AS setting,
        string_agg(DISTINCT method, ' or ' ORDER BY method) AS scheduler,
        'GPUs for ' || string_agg(
            demand || ': ' || CASE
                WHEN gpus IS NULL THEN 'no slice serves ' || unmet || ' in time'
                ELSE gpus || coalesce(' instead of ' || gpus_whole, '')
            END,
            ', ' ORDER BY demand
        ) AS amount,
        [2]::DOUBLE[] AS position
    FROM fewest_slices
    GROUP BY trace, trace_kind
)
SELECT
    'gpu_partition' AS study, topic, trace, subject, origin, about,
    row_number() OVER (ORDER BY position[1], position[2], trace, position) AS place,
    setting, scheduler, NULL::VARCHAR AS also, gain, runner_up, margin, margin_lo, margin_hi, margin_kind, tied,
    'enough' AS measure, amount, details, NULL::VARCHAR AS assumed, NULL::VARCHAR AS how_true
FROM (FROM tasks UNION ALL BY NAME FROM slices)
ORDER BY place;
