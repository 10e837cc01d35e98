-- PIM-CARE and VirtualPIM on proxies of VW1 to VW5, 14 ranks, over VirtualPIM's Coarse (paper, Figure 11): geometric means
-- over admissible tables and batches. VirtualPIM's sets are not published: what stands here depends on the proxies.
-- evidence: what the tables agree with: measured_shapes, with Table 2 and SE-Opt over SE-Full
-- set_name: VW1 to VW5; VW5 is host-heavy
-- requests: what users ask for: all ranks of the machine, half of them, or the best number
-- scheduler: scheduler
-- host_share: host work as a share of an application's least time [1]
-- tables: admissible tables [1]
-- batches: independent batches [1]
-- throughput: throughput over that of Coarse [1]
-- throughput_lo: lower end of its 95 % interval over batches (Student's t on the logarithms); null for one batch [1]
-- throughput_hi: upper end of its 95 % interval over batches [1]
-- att: average turnaround time of Coarse over this one [1]
-- att_lo: lower end of its 95 % interval over batches [1]
-- att_hi: upper end of its 95 % interval over batches [1]
-- origin: proxy
CREATE VIEW fig_pim_ranks_11 AS
WITH of_batch AS (
    SELECT
        evidence, set_name, requests, scheduler, host_share, batch, count(DISTINCT member) AS tables,
        avg(ln(throughput_ratio)) AS throughput, avg(ln(att_ratio)) AS att
    FROM pim_ranks_virtual
    WHERE ranks = 14 AND jobs = 24 AND reading = 'default'
    GROUP BY ALL
),
mean AS (
    SELECT
        evidence, set_name, requests, scheduler, host_share, max(tables) AS tables, count(*) AS batches,
        avg(throughput) AS throughput, stddev_samp(throughput) / sqrt(count(*)) AS throughput_error,
        avg(att) AS att, stddev_samp(att) / sqrt(count(*)) AS att_error
    FROM of_batch
    GROUP BY ALL
)
SELECT
    evidence, set_name, requests, scheduler, host_share, tables, batches,
    exp(throughput) AS throughput,
    exp(throughput - t * throughput_error) AS throughput_lo,
    exp(throughput + t * throughput_error) AS throughput_hi,
    exp(att) AS att,
    exp(att - t * att_error) AS att_lo,
    exp(att + t * att_error) AS att_hi,
    'proxy' AS origin
FROM mean LEFT JOIN student_t ON replicates = batches
ORDER BY evidence DESC, set_name, requests, scheduler;
