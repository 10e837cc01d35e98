/*
source: "ICS 2025, Section 4.5, Figure 11"
statement: PIM-CARE is ahead of VirtualPIM in all of its sets except the host-heavy VW5.
unit: yes/no
parts:
  "throughput, ahead in VW1 to VW4": yes
  "turnaround time, ahead in VW1 to VW4": yes
  "throughput, ahead in VW1 to VW4 and not in VW5": yes
  "turnaround time, ahead in VW1 to VW4 and not in VW5": yes
main:
  - "throughput, ahead in VW1 to VW4"
  - "turnaround time, ahead in VW1 to VW4"
kind: yes_no
pooled:
  Measured shapes: measured_shapes/
  "host work 0.1 and 0.6": "host work 0.1 and 0.6/"
  "host work 0.4 and 0.9": "host work 0.4 and 0.9/"
  "transfer 0.1:0.85:0.05": "transfer 0.1:0.85:0.05/"
  "transfer 0.4:0.4:0.2": "transfer 0.4:0.4:0.2/"
  "coop limit 1.0": "coop limit 1.0/"
  "coop limit 1.5": "coop limit 1.5/"
configuration: proxies of VW1 to VW5 of 24 jobs (VirtualPIM's sets are not published), 14 ranks, users request all of them; ahead is more throughput, or less turnaround time, than each of Coarse, Fine and Co-op, in each of VW1 to VW4; each setting is an admissible table with its batches, the value is over the tables with measured shapes, each with its batches' mean; further settings are other requests, other proxies and another limit of Co-op
differs: VirtualPIM's sets are not published, and proxies replace them. What users request decides more than host work does. If they request all ranks, PIM-CARE has more throughput in VW1 than VirtualPIM, if half of them, less. If they request the best, it is behind in VW5, as printed. Turnaround time in VW1 to VW4 is shorter in some tables only.
evidence: |
  WITH mean AS (
    SELECT reading, requests, set_name, scheduler, exp(avg(ln(throughput_ratio))) AS throughput FROM pim_ranks_virtual
    WHERE ranks = 14 AND jobs = 24 AND evidence = 'measured_shapes' AND (reading = 'default' OR starts_with(reading, 'host work')) GROUP BY ALL
  ), every AS (
    SELECT reading, requests, set_name, max(throughput) FILTER (scheduler = 'pim_care') / max(throughput) FILTER (scheduler LIKE 'virtual%') AS lead FROM mean GROUP BY ALL
  ), ahead AS (FROM every WHERE reading = 'default'), other AS (FROM every WHERE reading <> 'default' AND set_name = 'VW1' AND requests = 'best')
  SELECT max(lead) FILTER (set_name = 'VW1') - min(lead) FILTER (set_name = 'VW1') > (SELECT max(lead) - min(lead) FROM other) AS holds, max(lead) FILTER (set_name = 'VW1' AND requests = 'machine') AS vw1_all_ranks,
    max(lead) FILTER (set_name = 'VW1' AND requests = 'half') AS vw1_half, max(lead) FILTER (set_name = 'VW1' AND requests = 'best') AS vw1_best,
    max(lead) FILTER (set_name = 'VW5' AND requests = 'best') AS vw5_best,
    (SELECT max(lead) - min(lead) FROM other) AS vw1_best_from_least_to_most_host_work
  FROM ahead
scenarios: pim_ranks_virtual WHERE ranks = 14 AND jobs = 24 AND scheduler IN ('pim_care', 'virtual_pim_coarse', 'virtual_pim_fine', 'virtual_pim_coop')
*/
WITH run AS (
    SELECT reading, member, evidence, batch::VARCHAR AS batch, requests, set_name, scheduler, throughput_ratio, att_ratio
    FROM pim_ranks_virtual
    WHERE ranks = 14 AND jobs = 24
        AND scheduler IN ('pim_care', 'virtual_pim_coarse', 'virtual_pim_fine', 'virtual_pim_coop')
),
mean AS (
    SELECT
        setting, replicate, requests, set_name, scheduler,
        avg(ln(throughput_ratio)) AS throughput, avg(ln(att_ratio)) AS att
    FROM (
        SELECT member AS setting, batch AS replicate, * EXCLUDE (reading, member, evidence, batch)
        FROM run WHERE reading = 'default'
        UNION ALL
        SELECT
            CASE WHEN reading <> 'default' THEN reading ELSE 'Measured shapes' END AS setting,
            member AS replicate, * EXCLUDE (reading, member, evidence, batch)
        FROM run
    )
    GROUP BY ALL
),
compared AS (
    SELECT
        setting, replicate, set_name,
        CASE requests WHEN 'half' THEN 'requests of half the ranks' WHEN 'best' THEN 'requests of the best ranks' END AS asked,
        max(throughput) FILTER (scheduler = 'pim_care') > max(throughput) FILTER (scheduler <> 'pim_care') AS more_throughput,
        max(att) FILTER (scheduler = 'pim_care') > max(att) FILTER (scheduler <> 'pim_care') AS less_time
    FROM mean
    GROUP BY ALL
),
judged AS (
    SELECT
        CASE WHEN asked IS NULL THEN setting WHEN setting = 'Measured shapes' THEN asked ELSE asked || '/' || setting END AS setting,
        replicate, measure, bool_and(ahead) FILTER (set_name <> 'VW5') AS ahead,
        bool_and(NOT ahead) FILTER (set_name = 'VW5') AS behind
    FROM compared
    CROSS JOIN LATERAL (VALUES ('throughput', more_throughput), ('turnaround time', less_time)) AS said (measure, ahead)
    WHERE
        set_name IN ('VW1', 'VW2', 'VW3', 'VW4', 'VW5')
        AND (asked IS NULL OR setting = 'Measured shapes' OR starts_with(setting, 'measured_shapes/'))
    GROUP BY ALL
    HAVING count(*) = 5
)
SELECT setting, measure || ', ahead in VW1 to VW4' AS part, replicate, ahead AS value FROM judged
UNION ALL
SELECT setting, measure || ', ahead in VW1 to VW4 and not in VW5', replicate, ahead AND behind FROM judged
