-- Slowdowns of applications beside each other, predicted by the replays of the model, which know profiles only: blind
-- (modelled_and_measured_pairs, one setting per scheduler). Both ran beside each other from the same start. Values are time beside
-- the other over time alone.
-- columns: as prediction
CREATE VIEW prediction_gpu_corun AS
WITH side AS (
    SELECT
        trace, scheduler AS setting, scheduler = 'mps' AS reported, app_a AS app, app_b AS beside,
        modelled_slowdown_a AS predicted, measured_slowdown_a AS measured
    FROM modelled_and_measured_pairs
    UNION ALL BY NAME
    SELECT
        trace, scheduler AS setting, scheduler = 'mps' AS reported, app_b AS app, app_a AS beside,
        modelled_slowdown_b AS predicted, measured_slowdown_b AS measured
    FROM modelled_and_measured_pairs
    WHERE app_a <> app_b
)
SELECT
    'gpu_corun' AS study, trace, split_part(trace, '/', -1) AS run, setting, 'blind' AS kind, 'all pairs' AS left_out, reported,
    app AS independent, beside, app || ' beside ' || beside AS point, predicted, measured
FROM side;
