/*
source: "HiPC 2024, Sections VI-A.2 and VI-B.2, Figures 6b, 10a and 10b"
statement: The higher alpha, the better disaggregated schedulers do; Stochastic is robust to alpha.
unit: yes/no
parts:
  Priority rises with alpha (Fig. 6b): yes
  Stochastic rises with alpha (Fig. 10b): yes
  Stochastic loses less than 2 % at 150 GB for every alpha (Fig. 10b): yes
  Stochastic above Priority for every alpha (Fig. 10a): yes
kind: yes_no
configuration: Priority on phased, Stochastic on dynamic workloads, batch by batch; 'rises' is, at each step of alpha, of the normalised utilisation averaged over the memory sizes from 105 to 150 GB per node; 2 % with the half digit that M10 is judged with, 2.5 %; nodes uniform 1..23, load 0.9, tau 1 s; settings vary the load, those where several alpha were run
differs: In the mean Priority rises at each step of alpha. The first two steps, from 0.01 over 0.03 to 0.1, are small, and single batches fall.
evidence: |
  WITH mean AS (
    SELECT batch, alpha, avg(normalised) AS normalised FROM hpc_memory_paper
    WHERE setting = 'default' AND kind = 'phased' AND scheduler = 'priority' AND tau_s = 1 AND memory_per_node_gb BETWEEN 105 AND 150 GROUP BY ALL
  ), step AS (
    SELECT alpha, lead(normalised) OVER (PARTITION BY batch ORDER BY alpha) - normalised AS rise FROM mean QUALIFY count(*) OVER (PARTITION BY batch) >= 3
  )
  SELECT avg(rise) FILTER (alpha = 0.01) > 0 AND avg(rise) FILTER (alpha = 0.03) > 0 AND avg((rise > 0)::INT) FILTER (alpha < 0.1) < 1 AS holds, avg(rise) FILTER (alpha = 0.01) AS step_from_001, avg(rise) FILTER (alpha = 0.03) AS step_from_003, avg(rise) FILTER (alpha = 0.1) AS step_from_01,
    avg((rise > 0)::INT) FILTER (alpha < 0.1) AS batches_that_rise_at_the_first_two
  FROM step WHERE rise IS NOT NULL
scenarios: hpc_memory_paper WHERE scheduler = 'unlimited' OR tau_s = 1 AND memory_per_node_gb >= 105 AND (kind = 'phased' AND scheduler = 'priority' OR kind = 'dynamic' AND scheduler IN ('priority', 'stochastic'))
*/
WITH run AS (
    SELECT setting, kind, scheduler, batch, memory_per_node_gb, alpha, normalised, utilisation
    FROM hpc_memory_paper
    WHERE tau_s = 1 AND memory_per_node_gb >= 105
        AND (kind = 'phased' AND scheduler = 'priority' OR kind = 'dynamic' AND scheduler IN ('priority', 'stochastic'))
    -- Batches and sizes at which every alpha was run.
    QUALIFY count(*) OVER (PARTITION BY setting, kind, scheduler, batch, memory_per_node_gb) >= 3
),
whole AS (
    SELECT * FROM run
    QUALIFY min(alpha) OVER (PARTITION BY setting, kind, scheduler, batch, memory_per_node_gb)
        = min(alpha) OVER (PARTITION BY setting, kind)
),
curve AS (
    SELECT setting, kind, scheduler, batch, alpha, avg(normalised) AS normalised
    FROM whole
    WHERE memory_per_node_gb <= 150 AND (kind = 'phased' OR scheduler = 'stochastic')
    GROUP BY ALL
),
step AS (
    SELECT
        *, lead(normalised) OVER (PARTITION BY setting, kind, scheduler, batch ORDER BY alpha) > normalised AS rises
    FROM curve
),
judged AS (
    SELECT
        setting, batch, bool_and(rises) AS value,
        CASE kind
            WHEN 'phased' THEN 'Priority rises with alpha (Fig. 6b)'
            ELSE 'Stochastic rises with alpha (Fig. 10b)'
        END AS part
    FROM step
    GROUP BY ALL
    UNION ALL
    SELECT
        setting, batch, bool_and(normalised >= 1 - 0.025),
        'Stochastic loses less than 2 % at 150 GB for every alpha (Fig. 10b)'
    FROM whole
    WHERE kind = 'dynamic' AND scheduler = 'stochastic' AND memory_per_node_gb = 150
    GROUP BY ALL
    UNION ALL
    SELECT
        setting, batch, bool_and(stochastic.utilisation > priority.utilisation),
        'Stochastic above Priority for every alpha (Fig. 10a)'
    FROM whole AS stochastic
    JOIN whole AS priority USING (setting, kind, batch, memory_per_node_gb, alpha)
    WHERE kind = 'dynamic' AND stochastic.scheduler = 'stochastic' AND priority.scheduler = 'priority'
    GROUP BY ALL
)
SELECT setting, part, batch AS replicate, value
FROM judged
WHERE value IS NOT NULL
-- A setting in which one of the kinds was run with one alpha only cannot tell.
QUALIFY count(DISTINCT part) OVER (PARTITION BY setting) = 4
