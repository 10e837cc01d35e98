/*
source: "ICS 2025, Section 4.5, Figure 11"
statement: PIM-CARE is ahead of VirtualPIM in all of its sets except the host-heavy VW5.
unit: yes/no
parts:
  VW1 to VW4, requests of all ranks: 1
  VW1 to VW4, requests of half the ranks: 1
  VW1 to VW4, requests of the best ranks: 1
  not in VW5, requests of all ranks: 1
  not in VW5, requests of half the ranks: 1
  not in VW5, requests of the best ranks: 1
kind: yes_no
pooled: {Table 2 only: admissible/, Table 2 and Figure 2: admissible_figure_2/}
configuration: proxies of VW1 to VW5 of 24 jobs (VirtualPIM's sets are not published), 14 ranks, by what users request; ahead is more throughput and less turnaround time than each of Coarse, Fine and Co-op, in each of VW1 to VW4; each setting is an admissible table with its batches, the value is over the tables that agree with Table 2, each with its batches' mean
differs: "VirtualPIM's sets are not published and proxies stand in for them; what users request decides more than host work does: with requests of all ranks PIM-CARE has more throughput in VW1 to VW4, but not always less turnaround time."
scenarios: pim_ranks_virtual WHERE ranks = 14 AND jobs = 24 AND scheduler IN ('pim_care', 'virtual_pim_coarse', 'virtual_pim_fine', 'virtual_pim_coop')
*/
WITH run AS (
    SELECT member, evidence, batch::VARCHAR AS batch, requests, set_name, scheduler, throughput_ratio, att_ratio
    FROM pim_ranks_virtual
    WHERE ranks = 14 AND jobs = 24
        AND scheduler IN ('pim_care', 'virtual_pim_coarse', 'virtual_pim_fine', 'virtual_pim_coop')
),
mean AS (
    SELECT
        setting, replicate, requests, set_name, scheduler,
        avg(ln(throughput_ratio)) AS throughput, avg(ln(att_ratio)) AS att
    FROM (
        SELECT member AS setting, batch AS replicate, * EXCLUDE (member, evidence, batch) FROM run
        UNION ALL
        SELECT
            CASE evidence WHEN 'table_2' THEN 'Table 2 only' ELSE 'Table 2 and Figure 2' END AS setting,
            member AS replicate, * EXCLUDE (member, evidence, batch)
        FROM run
    )
    GROUP BY ALL
),
compared AS (
    SELECT
        setting, replicate, set_name,
        CASE requests WHEN 'machine' THEN 'all ranks' WHEN 'half' THEN 'half the ranks' ELSE 'the best ranks' END AS asked,
        max(throughput) FILTER (scheduler = 'pim_care') > max(throughput) FILTER (scheduler <> 'pim_care')
            AND max(att) FILTER (scheduler = 'pim_care') > max(att) FILTER (scheduler <> 'pim_care') AS ahead
    FROM mean
    GROUP BY ALL
)
SELECT setting, 'VW1 to VW4, requests of ' || asked AS part, replicate, bool_and(ahead) AS value
FROM compared
WHERE set_name IN ('VW1', 'VW2', 'VW3', 'VW4')
GROUP BY ALL
HAVING count(*) = 4
UNION ALL
SELECT setting, 'not in VW5, requests of ' || asked, replicate, NOT ahead FROM compared WHERE set_name = 'VW5'
