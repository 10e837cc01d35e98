/*
source: "HiPC 2024, Section V-A, Figures 1 and 3"
statement: Jobs of Marconi100 have 7 nodes, 17 phases of 1000 s and 105 GB per node in the mean.
unit: as named
parts: {nodes per job: 7, length of a phase (s): 1000, phases per job: 17, memory per node (GB): 105}
digit: 1
kind: value
configuration: dropped months of the format marconi100 and kind 'measured'; with fit.node_memory 'max' as in the paper; jobs of more than a minute, in ten groups (every tenth job), memory weighted by node-seconds; a generated trace is no evidence
differs: It takes a dropped month of Marconi100 and fit.node_memory 'max', and none was dropped.
*/
WITH lasting AS (
    SELECT trace, job_id, count(*) AS phases, sum(duration_s) AS duration_s, sum(duration_s * memory_gb) AS gb_s
    FROM phase
    WHERE node IS NULL
    GROUP BY ALL
    HAVING sum(duration_s) > 60
),
grouped AS (
    SELECT
        row_number() OVER (ORDER BY submit_s, trace, job_id) % 10 AS replicate,
        job.nodes, phases, duration_s, gb_s
    FROM lasting JOIN job USING (trace, job_id) JOIN trace USING (trace)
    WHERE trace.kind = 'measured'
        AND trace.format = 'marconi100'
        AND EXISTS (SELECT 1 FROM setting WHERE key = 'fit.node_memory' AND value = '"max"')
),
mean AS (
    SELECT
        replicate,
        avg(grouped.nodes) AS "nodes per job",
        sum(duration_s) / sum(phases) AS "length of a phase (s)",
        avg(phases) AS "phases per job",
        sum(grouped.nodes * gb_s) / sum(grouped.nodes * duration_s) AS "memory per node (GB)"
    FROM grouped
    GROUP BY ALL
)
SELECT 'default' AS setting, part, replicate, value
FROM (
    UNPIVOT mean
    ON "nodes per job", "length of a phase (s)", "phases per job", "memory per node (GB)" INTO NAME part VALUE value
)
