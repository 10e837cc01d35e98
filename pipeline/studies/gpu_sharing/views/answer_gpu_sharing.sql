-- What the terminal and the page say of curves against SMs: which policy shares a GPU. From recommended_gpu_sharing.
-- columns: as answer
CREATE VIEW answer_gpu_sharing AS
SELECT
    study, 'sms' AS topic, CASE WHEN trace <> 'ensemble' THEN trace END AS trace,
    CASE WHEN trace = 'ensemble' THEN 'drawn curves' ELSE trace END AS subject, origin,
    said_number(mixes) || ' mixes of ' || applications || ' applications'
        || CASE WHEN kind = 'stated' THEN ' that it states' ELSE '' END || ' on ' || sms || ' SMs' AS about,
    row_number() OVER (ORDER BY trace <> 'ensemble', trace, kind, applications) AS place,
    '' AS setting, scheduler, NULL::VARCHAR AS also,
    said_margin(runner_up, margin, margin_lo, margin_hi, margin_kind, tied) AS gain,
    runner_up, margin, margin_lo, margin_hi, margin_kind, tied,
    'system speed-up' AS measure,
    said_number(value) || ' times; of the one that gains least ' || said_number(least_speedup) || ' times' AS amount,
    CASE
        WHEN fastest <> scheduler
            THEN fastest || ' is the fastest: ' || said_number(fastest_speedup) || ' times, of the one that gains least '
                || said_number(fastest_least_speedup)
    END AS details,
    NULL::VARCHAR AS assumed, NULL::VARCHAR AS how_true
FROM recommended_gpu_sharing
ORDER BY place;
