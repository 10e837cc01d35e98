-- Table 4 of the thesis beside ours: power that the spare SMs of two QoS applications save, mean over the six pairs of
-- AES-D, JPEG-D and SHA1. Watts an SM are fitted to the 80 % row; the SMs are the fewest of all allocations.
-- qos_level: target, in per cent of half of the throughput on all SMs [%]
-- saving: idle or gated
-- printed_w: as printed [W]
-- saved_w: ours, mean over pairs and members [W]
-- saved_least_w: least mean of a member [W]
-- saved_most_w: largest mean of a member [W]
-- spare_sms: mean of spare SMs [1]
-- members: sets of surrogate curves [1]
CREATE VIEW fig_gpu_sharing_table_4 AS
WITH printed(qos_level, idle_w, gated_w) AS (
    VALUES (100, 2.6, 6.9), (95, 5.8, 11.2), (90, 8.8, 15.8), (85, 13.0, 22.2), (80, 18.1, 28.6)
),
by_member AS (
    SELECT qos_level, member, avg(idle_w) AS idle_w, avg(saved_w) AS gated_w, avg(spare_sms) AS spare_sms
    FROM gpu_sharing_qos
    WHERE kind = 'two_qos' AND scheduler = 'profile_minimum' AND decide_by = 'measured' AND spare = 'gated' AND gamma > 0
    GROUP BY ALL
),
both_ways AS (
    SELECT qos_level, 'idle' AS saving, printed.idle_w AS printed_w, ours.idle_w AS saved_w, spare_sms
    FROM by_member AS ours JOIN printed USING (qos_level)
    UNION ALL
    SELECT qos_level, 'gated', printed.gated_w, ours.gated_w, spare_sms
    FROM by_member AS ours JOIN printed USING (qos_level)
)
SELECT
    qos_level, saving, any_value(printed_w)::DOUBLE AS printed_w, avg(saved_w) AS saved_w, min(saved_w) AS saved_least_w,
    max(saved_w) AS saved_most_w, avg(spare_sms) AS spare_sms, count(*) AS members
FROM both_ways
GROUP BY qos_level, saving
ORDER BY qos_level DESC, saving DESC;
