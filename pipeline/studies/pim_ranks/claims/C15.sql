/*
source: "ICS 2025, Section 4.2, Figure 8a"
statement: PIM-CARE achieves significant throughput improvements on all workload sets.
unit: share
parts: {W1: more, W2: more, W3: more, W4: more, W5: more}
kind: more
pooled: {Measured shapes: Measured shapes/}
configuration: throughput of PIM-CARE of 24 jobs over that of SE-Full, to which the sentence before gives all improvements, less one, set by set; sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table with its batches, the value is the share of the tables with measured shapes, each with its batches' mean; a setting of ours is over SM-Opt (OoO), where the paper sees no difference in W5 (C11)
scenarios: pim_ranks_paper WHERE jobs = 24 AND scheduler IN ('se_full', 'sm_opt_ooo', 'pim_care')
*/
SELECT
    CASE
        WHEN other.scheduler = 'se_full' THEN setting
        WHEN setting = 'Measured shapes' THEN 'over SM-Opt (OoO)'
        ELSE 'over SM-Opt (OoO)/' || setting
    END AS setting,
    set_name AS part, replicate, care.throughput / other.throughput - 1 AS value
FROM pim_ranks_claim AS care JOIN pim_ranks_claim AS other USING (setting, replicate, set_name, jobs)
WHERE jobs = 24 AND care.scheduler = 'pim_care'
    AND (
        other.scheduler = 'se_full'
        OR other.scheduler = 'sm_opt_ooo' AND (setting = 'Measured shapes' OR starts_with(setting, 'Measured shapes/'))
    )
