-- How true each study is: the weakest of its reported settings, and the traces that it was looked for in. Measured traces go
-- before generated ones. A study without a row was compared with nothing. From fidelity.
-- study: study
-- kind: blind, held out or fitted, as in fidelity
-- trace: trace with the largest error
-- origin: of the trace: measured on a machine, or generated
-- run: part of the trace
-- setting: what was replayed, or what predicts
-- left_out: what the prediction had not seen, in words
-- measure: relative_error_median, or of logs mean_wait_error
-- value: its value [1]
-- lo: lower end of its 95 % interval, or where limits are drawn the least over the draws; null where there is neither [1]
-- hi: upper end, or the most [1]
-- noise: mean size of the measure between executions on the machine; null = it ran once [1]
-- points: points that were compared; of logs their jobs [1]
-- independent: applications or models that the points are of; null = not known [1]
-- others: other traces and runs that are of the study and kind, with their errors, in words; null = none
CREATE VIEW how_true AS
WITH told AS MATERIALIZED (
    SELECT * FROM fidelity WHERE reported OR measure = 'jobs_compared'
),
counted AS (
    SELECT
        study, trace, run, setting, max(value) FILTER (measure = 'points')::BIGINT AS points,
        max(value) FILTER (measure = 'independent')::BIGINT AS independent
    FROM told
    GROUP BY ALL
),
of_log AS (
    SELECT study, trace, run, value::BIGINT AS jobs FROM told WHERE measure = 'jobs_compared'
),
-- Of each trace and run the weakest setting.
weakest AS (
    SELECT told.*, trace.kind AS origin
    FROM told JOIN trace USING (trace)
    WHERE measure IN ('relative_error_median', 'mean_wait_error') AND value IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY study, told.kind, trace, run ORDER BY round(abs(value), 9) DESC, setting) = 1
),
placed AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY study, kind ORDER BY origin = 'measured' DESC, round(abs(value), 9) DESC, trace, run
        ) AS place
    FROM weakest
),
other AS (
    SELECT
        study, kind,
        string_agg(
            trace || CASE WHEN ends_with(trace, run) THEN '' ELSE ' ' || run END
            || CASE WHEN origin = 'measured' THEN '' ELSE ' (' || origin || ')' END || ' ' || said_share(value),
            ', ' ORDER BY place
        ) AS others
    FROM placed
    WHERE place > 1
    GROUP BY ALL
)
SELECT
    study, kind, trace, origin, run, setting, left_out, measure, value, lo, hi, noise, coalesce(points, jobs) AS points,
    independent, others
FROM placed
JOIN counted USING (study, trace, run, setting)
LEFT JOIN of_log USING (study, trace, run)
LEFT JOIN other USING (study, kind)
WHERE place = 1
ORDER BY round(abs(value), 9) DESC, study, kind;
