-- Table 3 of the thesis beside ours: speed-ups of pairs over cooperative multitasking at the global clock, Profile, per-SM
-- clocks.
-- mix: applications, joined by +
-- classes: mixed, compute or memory
-- csmf_printed: compute-bound application on slow SMs, as printed [1]
-- cfms_printed: compute-bound application on fast SMs, as printed [1]
-- csmf: ours, mean over members and maps [1]
-- cfms: ours, mean over members and maps [1]
-- difference: cfms - csmf [1]
-- difference_least: least of a member [1]
-- difference_most: largest of a member [1]
-- members: sets of surrogate curves [1]
CREATE VIEW fig_gpu_sharing_table_3 AS
SELECT
    mix, any_value(classes) AS classes, any_value(printed.csmf) AS csmf_printed, any_value(printed.cfms) AS cfms_printed,
    avg(ours.csmf) AS csmf, avg(ours.cfms) AS cfms, avg(difference) AS difference,
    min(difference) AS difference_least, max(difference) AS difference_most,
    count(*) AS members
FROM gpu_sharing_assignment_claim AS ours JOIN gpu_sharing_table_3 AS printed USING (mix)
WHERE setting = 'default'
GROUP BY mix
ORDER BY classes DESC, mix;
