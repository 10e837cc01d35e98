/*
source: "IPDPS 2019, Section V-E"
statement: Pairs that Slate runs side by side gain 10 % or more over one after the other.
unit: yes/no
paper_value: 1
kind: yes_no
configuration: pairs that Slate's replay runs side by side, by their rates on the card, its thresholds and Table I as printed; gain is the sum of the two speeds as timed on half of the SMs each, over alone on the whole card, less one, for loops that last; a replicate is a pair
*/
WITH pair AS (
    SELECT
        trace, pair, arg_min(kernel, "position") AS first, arg_max(kernel, "position") AS second
    FROM gpu_corun_result
    JOIN (SELECT scenario_id, kernel, "position" FROM outcome_gpu_corun) USING (scenario_id)
    WHERE kind = 'pair' AND scheduler = 'slate' AND split = 'equal' AND symmetry = 'printed' AND task_size = 10 AND corun
    GROUP BY ALL
),
half AS (
    SELECT trace, app, beside, speed FROM gpu_card_pair WHERE sms = machine_sms // 2
)
SELECT pair.trace, pair AS replicate, a.speed + b.speed >= 1.1 AS value
FROM pair
JOIN half AS a ON (a.trace, a.app, a.beside) = (pair.trace, first, second)
JOIN half AS b ON (b.trace, b.app, b.beside) = (pair.trace, second, first)
