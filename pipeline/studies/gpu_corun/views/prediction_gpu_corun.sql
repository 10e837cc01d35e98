-- Slowdowns of applications beside each other, predicted in two ways. The replays of the model know profiles only: blind
-- (modelled_and_measured_pairs, one setting per scheduler). The rules of docs/guides/corun-choice.md are fitted to other pairs: held out
-- (pair_prediction, one setting per rule and protocol). Both ran beside each other from the same start. Values are time beside
-- the other over time alone.
-- columns: as prediction
CREATE VIEW prediction_gpu_corun AS
WITH side AS (
    SELECT
        trace, gpu, rule || ', ' || protocol AS setting, 'held out' AS kind,
        CASE protocol
            WHEN 'unseen_pairs' THEN 'a tenth of the pairs'
            WHEN 'unseen_jobs' THEN 'all pairs with either application'
            ELSE 'all pairs of the card'
        END AS left_out,
        rule = 'ridge' AND protocol = 'unseen_pairs' AS reported, app_a, app_b, predicted_a, predicted_b, measured_a, measured_b
    FROM pair_prediction
    UNION ALL BY NAME
    SELECT
        trace, scheduler AS setting, 'blind' AS kind, 'all pairs' AS left_out, scheduler = 'mps' AS reported, app_a, app_b,
        modelled_slowdown_a AS predicted_a, modelled_slowdown_b AS predicted_b,
        measured_slowdown_a AS measured_a, measured_slowdown_b AS measured_b
    FROM modelled_and_measured_pairs
)
SELECT
    'gpu_corun' AS study, trace, coalesce(gpu, split_part(trace, '/', -1)) AS run, setting, kind, left_out, reported,
    app_a AS independent, app_b AS beside, app_a || ' beside ' || app_b AS point, predicted_a AS predicted, measured_a AS measured
FROM side
UNION ALL BY NAME
SELECT
    'gpu_corun' AS study, trace, coalesce(gpu, split_part(trace, '/', -1)) AS run, setting, kind, left_out, reported,
    app_b AS independent, app_a AS beside, app_b || ' beside ' || app_a AS point, predicted_b AS predicted, measured_b AS measured
FROM side
WHERE app_a <> app_b;
