/*
source: "ICS 2025, Section 4.3, Figure 8c"
statement: From 12 to 36 jobs PIM-CARE gains, in throughput (4.23 to 6.16 times SE-Full) and in average turnaround time (4.77 to 5.91).
unit: yes/no
parts: {throughput grows: 1, average turnaround time improves: 1}
kind: yes_no
pooled: {Table 2 only: admissible/, Table 2 and Figure 2: admissible_figure_2/}
configuration: geometric mean over W1 to W5 at 36 jobs above that at 12, the values stand in fig_pim_ranks_8c; sets W1 to W5 all queued at 0, 30 ranks, window 6; each setting is an admissible table with its batches, the value is over the tables that agree with Table 2, each with its batches' mean
scenarios: pim_ranks_paper WHERE jobs IN (12, 36) AND scheduler IN ('se_full', 'pim_care')
*/
SELECT setting, part, replicate, value
FROM (
    UNPIVOT (
        SELECT
            setting, replicate, many.throughput > few.throughput AS "throughput grows",
            many.att > few.att AS "average turnaround time improves"
        FROM pim_ranks_claim AS many JOIN pim_ranks_claim AS few USING (setting, replicate, set_name, scheduler)
        WHERE many.jobs = 36 AND few.jobs = 12 AND set_name = 'all' AND scheduler = 'pim_care'
    )
    ON "throughput grows", "average turnaround time improves" INTO NAME part VALUE value
)
