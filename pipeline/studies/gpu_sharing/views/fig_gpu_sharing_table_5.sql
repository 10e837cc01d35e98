-- Table 5 of the thesis beside ours: largest loss of throughput of a QoS application that shares the GPU, against the same
-- number of SMs alone. Sensitivities are drawn between what its two columns give: an input.
-- app: application with a target
-- sms: SMs that it has; the other application has the rest of 30 [1]
-- printed: loss as printed [1]
-- loss: beside an application of pressure 1, the worst; mean over the members [1]
-- loss_least: least of a member [1]
-- loss_most: largest of a member [1]
-- loss_in_ensemble: beside the application of the ensemble that presses most, mean over the members [1]
-- members: sets of surrogate curves [1]
CREATE VIEW fig_gpu_sharing_table_5 AS
WITH printed(app, sms, printed) AS (
    VALUES
        ('AES-D', 15, 0.003), ('AES-D', 10, 0.003), ('JPEG-D', 15, 0.16), ('JPEG-D', 10, 0.232), ('SHA1', 15, 0.182),
        ('SHA1', 10, 0.24)
),
worst AS (
    SELECT
        mine.curve_set, mine.app, any_value(mine.sensitivity) AS sensitivity, max(others.pressure) AS pressure
    FROM surrogate_gpu_sharing AS mine
    JOIN surrogate_gpu_sharing AS others ON others.curve_set = mine.curve_set AND others.app <> mine.app
    GROUP BY ALL
),
lost AS (
    SELECT
        app, sms, printed, 1 - 1 / (1 + sensitivity * (30 - sms)) AS loss,
        1 - 1 / (1 + sensitivity * pressure * (30 - sms)) AS loss_in_ensemble
    FROM printed JOIN worst USING (app)
)
SELECT
    app, sms, any_value(printed)::DOUBLE AS printed, avg(loss) AS loss, min(loss) AS loss_least, max(loss) AS loss_most,
    avg(loss_in_ensemble) AS loss_in_ensemble, count(*) AS members
FROM lost
GROUP BY app, sms
ORDER BY app, sms DESC;
