/*
source: "thesis, Section 6.3.1"
statement: The split that curves of applications alone predict is the one that is best side by side.
unit: yes/no
paper_value: 1
kind: always
configuration: of the splits that were timed side by side (a quarter, half and three quarters of the SMs), the one with the largest sum of speeds and the one with the most equal speed-ups, by the curves alone and as timed beside each other; a replicate is a pair of different kernels and one of the two policies
*/
WITH split AS (
    SELECT
        a.trace, a.app, a.beside, a.sms, a.speed + b.speed AS total, a.speed_alone + b.speed_alone AS total_alone,
        abs(a.speed - b.speed) / greatest(a.speed, b.speed) AS apart,
        abs(a.speed_alone - b.speed_alone) / greatest(a.speed_alone, b.speed_alone) AS apart_alone
    FROM gpu_card_pair AS a
    JOIN gpu_card_pair AS b
        ON (b.trace, b.app, b.beside, b.sms) = (a.trace, a.beside, a.app, a.machine_sms - a.sms)
    WHERE a.app < a.beside
),
chosen AS (
    SELECT
        trace, app, beside, arg_max(sms, total) AS fastest, arg_max(sms, total_alone) AS fastest_alone,
        arg_min(sms, apart) AS fairest, arg_min(sms, apart_alone) AS fairest_alone
    FROM split
    GROUP BY ALL
    HAVING count(*) > 1
)
SELECT trace, app || '+' || beside || ' max_throughput' AS replicate, fastest = fastest_alone AS value FROM chosen
UNION ALL
SELECT trace, app || '+' || beside || ' equal_speedup', fairest = fairest_alone FROM chosen
