-- Throughput and average turnaround time over those of VirtualPIM's Coarse on the same jobs, tables and ranks: proxies of
-- VW1 to VW5 (VirtualPIM's own sets are not published).
-- scenario_id: scenario
-- member: admissible table that the proxy is made of
-- evidence: what that table agrees with: measured_shapes, with Table 2 and SE-Opt over SE-Full
-- requests: what users ask for: all ranks of the machine, half of them, or the best number
-- set_name: VW1 to VW5
-- reading: default, or what is assumed otherwise of proxies and Co-op
-- host_share: host work as a share of an application's least time [1]
-- ranks: ranks of the machine [1]
-- jobs: jobs of the set
-- batch: batch
-- scheduler: scheduler
-- throughput_ratio: throughput over that of Coarse [1]
-- att_ratio: average turnaround time of Coarse over this one [1]
CREATE VIEW pim_ranks_virtual AS
SELECT
    scenario_id, member, evidence, requests, set_name,
    coalesce(nullif(concat_ws(
        ', ', 'host work ' || host_shares, 'transfer ' || transfer,
        CASE WHEN coop_limit <> 1.1 THEN format('coop limit {}', coop_limit) END
    ), ''), 'default') AS reading,
    host_share, ranks, jobs, batch, ours.scheduler,
    ours.throughput_per_s / coarse.throughput_per_s AS throughput_ratio,
    coarse.att_s / ours.att_s AS att_ratio
FROM pim_ranks_result AS ours
JOIN (
    SELECT workload, batch, table_id, ranks, coop_limit, throughput_per_s, att_s
    FROM pim_ranks_result
    WHERE scheduler = 'virtual_pim_coarse'
) AS coarse USING (workload, batch, table_id, ranks, coop_limit)
WHERE kind = 'virtual_pim' AND "window" = 6 AND ooo_window IS NULL AND perf_at = 'leftover' AND objective = 'makespan';
