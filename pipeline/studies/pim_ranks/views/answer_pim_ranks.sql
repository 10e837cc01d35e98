-- What the terminal and the page say of PIM machines: which scheduler gives out ranks, and how many an application gets. From
-- recommended_pim_ranks and ranks_to_give.
-- columns: as answer
CREATE VIEW answer_pim_ranks AS
WITH unit AS (
    SELECT trace, any_value(unit) AS unit FROM ranks_to_give GROUP BY ALL
),
asked AS (
    SELECT
        answer.*, trace.kind AS trace_kind, coalesce(trace.kind, if(answer.kind = 'virtual_pim', 'proxy', 'synthetic')) AS origin,
        coalesce(unit.unit, 'rank') AS unit,
        concat_ws(
            '|', evidence, answer.kind, arrival, load, answer.jobs, answer.ranks, requests, answer.replicates
        ) AS question_of_sets
    FROM recommended_pim_ranks AS answer
    LEFT JOIN trace ON trace.trace = answer.trace
    LEFT JOIN unit ON unit.trace = answer.trace
),
marked AS (
    -- Sets in a row that have the same scheduler; a set of a drop's own applications is none of those from W1 to W5.
    SELECT
        *,
        coalesce(
            lag(scheduler) OVER by_set IS DISTINCT FROM scheduler
            OR (lag(set_name) OVER by_set = 'uniform') IS DISTINCT FROM (set_name = 'uniform'),
            true
        )::INT AS begins
    FROM asked
    WINDOW by_set AS (PARTITION BY trace, question_of_sets ORDER BY set_name)
),
numbered AS (
    SELECT *, sum(begins) OVER (PARTITION BY trace, question_of_sets ORDER BY set_name) AS run FROM marked
),
sets AS (
    SELECT
        trace, question_of_sets, run, scheduler, min(set_name) AS first_set, max(set_name) AS last_set, count(*) AS settings,
        arg_min(runner_up, margin) AS runner_up, min(margin) AS margin, arg_min(margin_lo, margin) AS margin_lo,
        arg_min(margin_hi, margin) AS margin_hi, arg_min(tied, margin) AS tied
    FROM numbered
    GROUP BY ALL
),
whole AS (
    SELECT
        trace, question_of_sets, evidence, origin, kind, arrival, load, jobs, ranks, requests, replicates, unit,
        any_value(extrapolated_apps) AS extrapolated_apps, min(value) AS least, max(value) AS most,
        string_agg(DISTINCT best_att, ' or ' ORDER BY best_att) AS best_att, bool_or(starts_with(set_name, 'W')) AS of_the_paper
    FROM asked
    GROUP BY ALL
),
schedulers AS (
    SELECT
        'schedulers' AS topic, CASE WHEN evidence IS NULL THEN trace END AS trace,
        CASE
            WHEN evidence IS NULL THEN trace
            ELSE CASE WHEN kind = 'virtual_pim' THEN 'Proxies of VirtualPIM''s sets, made of tables' ELSE 'Tables' END
                || ' with measured shapes that agree with Table 2 of PIM-CARE'
        END AS subject,
        origin,
        concat_ws(
            ', ', jobs || ' applications' || CASE WHEN replicates > 1 THEN ' × ' || replicates || ' batches' ELSE '' END,
            ranks || CASE unit WHEN 'dpu' THEN ' DPUs' ELSE ' ranks' END,
            CASE arrival
                WHEN 'queued' THEN 'all queued at once' WHEN 'traced' THEN 'as they arrived'
                ELSE 'Poisson arrivals, load ' || printf('%g', load)
            END,
            'users request ' || CASE requests
                WHEN 'machine' THEN 'all ranks' WHEN 'half' THEN 'half the ranks' WHEN 'best' THEN 'the best ranks'
            END,
            'best ranks of ' || extrapolated_apps || ' beyond those measured'
        ) AS about,
        CASE
            WHEN first_set IS NULL THEN 'queue'
            WHEN first_set = 'uniform' THEN 'sets of its applications'
            WHEN first_set = last_set THEN 'set ' || first_set
            ELSE 'sets ' || first_set || '–' || last_set
        END AS setting,
        scheduler, said_margin(runner_up, margin, margin_lo, margin_hi, 'relative', tied, settings > 1) AS gain,
        runner_up, margin, margin_lo, margin_hi, 'relative' AS margin_kind, tied,
        'throughput' AS measure,
        said_number(least) || CASE WHEN most > least THEN ' to ' || said_number(most) ELSE '' END
            || ' times that of one application at a time on the whole machine' AS amount,
        'least turnaround time with ' || best_att
            || CASE
                WHEN of_the_paper THEN '; sets W1 to W5 have ever more applications that are best on few ranks'
                ELSE ''
            END AS details,
        [
            1, (evidence IS NOT NULL)::INT, list_position(['queue', 'sets', 'virtual_pim'], kind), (arrival = 'poisson')::INT, coalesce(load, 0) * 1000, jobs, ranks, run
        ]::DOUBLE[] AS position,
        coalesce(requests, '') AS then_by
    FROM sets JOIN whole USING (trace, question_of_sets)
),
named AS (
    SELECT
        trace, trace_kind, best_ranks, unit, max_ranks,
        best_ranks || CASE unit WHEN 'dpu' THEN ' DPU' ELSE ' rank' END || CASE WHEN best_ranks = 1 THEN '' ELSE 's' END
            || ': ' || string_agg(
                app || CASE
                    WHEN least_best_ranks IS NULL OR least_best_ranks = most_best_ranks THEN ''
                    ELSE ' (' || least_best_ranks || '–' || most_best_ranks
                        || CASE WHEN still_faster THEN ', still faster at ' || most_measured ELSE '' END || ')'
                END,
                ', ' ORDER BY app
            ) AS said,
        arg_max(app, over_all_ranks) AS slowest, max(over_all_ranks) AS longer
    FROM ranks_to_give
    GROUP BY trace, trace_kind, best_ranks, unit, max_ranks
),
without AS (
    SELECT trace, string_agg(app, ', ' ORDER BY app) AS apps
    FROM (SELECT trace, app FROM pim_curve GROUP BY ALL HAVING NOT bool_or(chosen))
    GROUP BY ALL
),
given AS (
    SELECT
        'ranks' AS topic, trace, trace AS subject, trace_kind AS origin,
        CASE unit WHEN 'dpu' THEN 'DPUs' ELSE 'ranks' END || ' for each application, of ' || said_number(max_ranks)
            AS about,
        'give' AS measure, string_agg(said, '; ' ORDER BY best_ranks) AS amount,
        concat_ws(
            '; ',
            CASE
                WHEN max(longer) > 1
                    THEN 'on all of them ' || arg_max(slowest, longer) || ' would take ' || said_number(max(longer)) || ' times as long'
                ELSE 'on all of them no application would be slower'
            END,
            'no curve, and used nowhere: ' || any_value(without.apps)
        ) AS details,
        CASE
            WHEN any_value(machine.ranks) IS NULL
                THEN 'the machine has as many as were measured at most; state its own number as ranks: in trace.yaml'
        END AS assumed,
        [2]::DOUBLE[] AS position, '' AS then_by
    FROM named LEFT JOIN without USING (trace)
    LEFT JOIN (SELECT trace, ranks FROM trace) AS machine USING (trace)
    GROUP BY trace, trace_kind, unit, max_ranks
)
SELECT
    'pim_ranks' AS study, topic, trace, subject, origin, about,
    row_number() OVER (ORDER BY position[1], position[2], position[3], subject, position, then_by) AS place,
    setting, scheduler, NULL::VARCHAR AS also, gain, runner_up, margin, margin_lo, margin_hi, margin_kind, tied, measure,
    amount, details, assumed, NULL::VARCHAR AS how_true
FROM (FROM schedulers UNION ALL BY NAME FROM given)
ORDER BY place;
