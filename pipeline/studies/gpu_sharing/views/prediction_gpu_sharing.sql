-- Throughput of applications on a size of a GPU that was left out, interpolated between the sizes beside it as replays do: linear,
-- from nothing on no SM. Of each curve of SMs and of each series of slices (model, batch, processes) every size is left out but
-- the largest. Values are instructions per cycle, runs or requests per s. What is in a name before its first "/" is its model.
-- columns: as prediction
CREATE VIEW prediction_gpu_sharing AS
WITH known AS (
    SELECT trace, app, app AS curve, sms AS size, coalesce(ipc, 1 / time_s) AS rate
    FROM sm_curve
    -- An application of a stated mix, <mix>/<application>, was measured beside the others.
    WHERE beside IS NULL AND NOT contains(app, '+')
    UNION ALL
    SELECT trace, app, concat_ws(' ', app, 'batch', batch, 'processes', processes), slices, rate_per_s FROM slice_point
),
beside AS (
    SELECT
        *, lag(size, 1, 0) OVER of_curve AS less, lead(size) OVER of_curve AS more,
        lag(rate, 1, 0) OVER of_curve AS less_rate, lead(rate) OVER of_curve AS more_rate
    FROM known
    WHERE rate > 0
    WINDOW of_curve AS (PARTITION BY trace, curve ORDER BY size)
)
SELECT
    'gpu_sharing' AS study, trace, split_part(trace, '/', -1) AS run, 'linear' AS setting, 'held out' AS kind,
    'the throughput on one size' AS left_out, true AS reported, split_part(app, '/', 1) AS independent, NULL::VARCHAR AS beside,
    curve || ' on ' || size AS point, less_rate + (size - less) / (more - less) * (more_rate - less_rate) AS predicted,
    rate AS measured
FROM beside
WHERE more IS NOT NULL;
