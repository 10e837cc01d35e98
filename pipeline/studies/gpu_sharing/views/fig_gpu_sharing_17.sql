-- Figure 17 of the thesis: the paths of two dynamic allocations on Table 6's points, round by round, beside the printed ones.
-- part: a (AES+RAY, equal throughput) or b (ID+JPEG, max fair throughput)
-- policy: policy
-- interpolation: between the points of a curve
-- round: round; 0 is the start [1]
-- app: application
-- sms: SMs that it has; null where ours ended before [1]
-- printed_sms: as printed (5 and 11 in a, see docs/models); null where ours goes on [1]
-- throughput: throughput that it is measured at, instructions a cycle [1]
-- from_cycle: cycle from which all its SMs of the round are its own, with thread blocks of 25,000 cycles [cycles]
-- cycles_to_5_percent: cycle from which on both are within 5 % of the final split's work, likewise [cycles]
-- printed_cycles: as printed [cycles]
CREATE VIEW fig_gpu_sharing_17 AS
WITH printed (part, mix, policy, round, app, printed_sms, printed_cycles) AS (
    VALUES
        ('a', 'AES+RAY', 'equal_throughput', 0, 'AES', 8, 430000), ('a', 'AES+RAY', 'equal_throughput', 0, 'RAY', 8, 430000),
        ('a', 'AES+RAY', 'equal_throughput', 1, 'AES', 5, 430000), ('a', 'AES+RAY', 'equal_throughput', 1, 'RAY', 11, 430000),
        ('b', 'ID+JPEG', 'max_fair_throughput', 0, 'ID', 8, 170000), ('b', 'ID+JPEG', 'max_fair_throughput', 0, 'JPEG', 8, 170000),
        ('b', 'ID+JPEG', 'max_fair_throughput', 1, 'ID', 10, 170000), ('b', 'ID+JPEG', 'max_fair_throughput', 1, 'JPEG', 6, 170000),
        ('b', 'ID+JPEG', 'max_fair_throughput', 2, 'ID', 11, 170000), ('b', 'ID+JPEG', 'max_fair_throughput', 2, 'JPEG', 5, 170000)
),
cases AS (SELECT DISTINCT part, mix, policy, printed_cycles FROM printed),
ours AS (
    SELECT
        part, policy, interpolation, round, app, round_gpu_sharing.sms, round_gpu_sharing.throughput, from_cycle,
        cycles_to_5_percent,
        printed_cycles
    FROM gpu_sharing_result
    JOIN cases USING (mix, policy)
    JOIN round_gpu_sharing USING (scenario_id)
    JOIN outcome_gpu_sharing AS its USING (scenario_id, slot)
    WHERE trace = 'thesis_table_6' AND kind = 'mixes' AND "dynamic" AND initial = 'equal' AND gamma = 0
        AND gpu_sharing_result.sms = 16
),
expected AS (
    SELECT printed.*, interpolation FROM printed JOIN (SELECT DISTINCT part, interpolation FROM ours) USING (part)
)
SELECT
    part, policy, interpolation, round, app, ours.sms, printed_sms, ours.throughput, from_cycle, cycles_to_5_percent,
    coalesce(ours.printed_cycles, expected.printed_cycles) AS printed_cycles
FROM ours FULL JOIN expected USING (part, policy, interpolation, round, app)
ORDER BY part, interpolation, round, app;
