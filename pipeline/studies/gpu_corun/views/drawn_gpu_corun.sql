-- What is drawn of each model of the ensemble, for the claims that are judged over models or over machines.
-- replicate: machine/equal/draw, or the machine, with the mean over its draws of what is drawn of kernels
-- parameter: what is drawn
-- drawn: its value, in its own unit
CREATE VIEW drawn_gpu_corun AS
WITH machine AS (
    UNPIVOT (
        SELECT DISTINCT
            machine, bandwidth_gbps AS bandwidth, knee, overlap, switching_loss AS "loss of switching",
            resize_s AS "time to resize"
        FROM gpu_corun_result JOIN scenario USING (scenario_id)
        WHERE machine IS NOT NULL AND scenario.scheduler = 'slate'
    ) ON COLUMNS(* EXCLUDE machine) INTO NAME parameter VALUE drawn
),
kernel AS (
    UNPIVOT (
        SELECT
            split_part(model_id, '/', 1) AS machine, split_part(model_id, '/', 2) AS draw, kernel, saturation,
            dram_gbps AS "DRAM traffic", slate_speed AS "speed under Slate", setup_s AS "time before the kernel"
        FROM kernel_gpu_corun
    ) ON COLUMNS(* EXCLUDE (machine, draw, kernel)) INTO NAME quantity VALUE drawn
)
SELECT machine || '/equal/' || draw AS replicate, parameter, machine.drawn
FROM machine JOIN (SELECT DISTINCT machine, draw FROM kernel) USING (machine)
UNION ALL
SELECT machine || '/equal/' || draw, quantity || ' of ' || kernel, drawn FROM kernel SEMI JOIN machine USING (machine)
UNION ALL
FROM machine
UNION ALL
SELECT machine, quantity || ' of ' || kernel, avg(drawn) FROM kernel SEMI JOIN machine USING (machine) GROUP BY ALL;
