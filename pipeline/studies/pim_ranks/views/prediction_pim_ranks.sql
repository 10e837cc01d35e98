-- Time of PIM applications at a rank count that was left out, by Algorithm 1's interpolation (linear in the speed) between the
-- measured counts beside it. Of each curve of three or more rank counts each count is left out but the first and the last,
-- which Algorithm 1 always profiles. Values are in s.
-- columns: as prediction
CREATE VIEW prediction_pim_ranks AS
WITH beside AS (
    SELECT
        *, lag(ranks) OVER of_curve AS fewer, lead(ranks) OVER of_curve AS more,
        lag(time_s) OVER of_curve AS fewer_s, lead(time_s) OVER of_curve AS more_s
    FROM perf_table
    WHERE source = 'measured'
    WINDOW of_curve AS (PARTITION BY trace, curve ORDER BY ranks)
)
SELECT
    'pim_ranks' AS study, trace, split_part(trace, '/', -1) AS run, 'linear in the speed' AS setting, 'held out' AS kind,
    'the time at one rank count' AS left_out, true AS reported, app AS independent, NULL::VARCHAR AS beside,
    curve || ' on ' || ranks AS point,
    1 / (1 / fewer_s + (ranks - fewer) / (more - fewer) * (1 / more_s - 1 / fewer_s)) AS predicted, time_s AS measured
FROM beside
WHERE fewer IS NOT NULL AND more IS NOT NULL;
