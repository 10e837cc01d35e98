-- How far replays of each dropped log are from what its machine did: each dialect of the queue, each half of the time of
-- submissions. docs/guides/fidelity.md has the measures. lo and hi are the least and the most where limits are drawn.
-- columns: as fidelity
CREATE VIEW fidelity_hpc_memory AS
SELECT
    'hpc_memory' AS study, trace, split_part(trace, '/', -1) AS run, setting, half, measure, value, least AS lo, most AS hi,
    unit, noise,
    CASE
        WHEN setting = 'measured' THEN NULL
        WHEN NOT closest THEN 'blind'
        WHEN half = 'second' THEN 'held out'
        ELSE 'fitted'
    END AS kind,
    CASE
        WHEN setting = 'measured' OR (closest AND half <> 'second') THEN NULL
        WHEN closest THEN 'the second half of the log, under the dialect chosen on the first'
        ELSE 'all starts of the log'
    END AS left_out,
    closest, closest AND half = 'second' AS reported
FROM log_fidelity;
