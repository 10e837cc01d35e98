-- Which rule should choose partners on a shared GPU: rules fitted to other applications, judged by measured pairs, for each
-- trace with profiles and pairs and each objective, the best first; docs/guides/corun-choice.md says how.
-- trace: trace
-- trace_kind: measured on a machine, or generated
-- objective: total_time (of a queue) or mean_slowdown (of its applications, all in pairs)
-- rule: rule
-- regret: mean cost over that of the best matching, less 1 [1]
-- regret_lo: lower end of its 95 % interval over applications [1]
-- regret_hi: upper end [1]
-- gain: mean regret of a random partner less that of the rule [1]
-- gain_lo: lower end of its 95 % interval over applications [1]
-- gain_hi: upper end [1]
-- better_than_chance: whether that interval lies above 0
-- mae: mean absolute error of slowdowns of pairs neither of which the fit has seen; null = it predicts none [1]
-- rank_correlation: of predicted with measured slowdowns; null = it orders none [1]
-- queues: queues [1]
-- apps: applications that were measured side by side [1]
-- recommended: least mean regret of those that are better than chance (of equals the first by name); nobody where none is
CREATE VIEW best_corun_rule AS
WITH score AS (
    SELECT
        trace, rule, replace(replace(measure, 'regret_', ''), 'gain_', '') AS objective,
        split_part(measure, '_', 1) AS kind, value, lo, hi, n, apps
    FROM corun_score
    WHERE measure LIKE 'regret_%' OR measure LIKE 'gain_%'
),
judged AS (
    SELECT
        regret.trace, regret.objective, regret.rule, regret.value AS regret, regret.lo AS regret_lo,
        regret.hi AS regret_hi, gain.value AS gain, gain.lo AS gain_lo, gain.hi AS gain_hi,
        coalesce(gain.lo > 0, false) AS better_than_chance, regret.n AS queues, regret.apps
    FROM score AS regret
    JOIN score AS gain USING (trace, objective, rule)
    WHERE regret.kind = 'regret' AND gain.kind = 'gain'
)
SELECT
    judged.trace, trace.kind AS trace_kind, objective, judged.rule, regret, regret_lo, regret_hi, gain, gain_lo,
    gain_hi, better_than_chance, mae.value AS mae, correlation.value AS rank_correlation, queues, judged.apps,
    better_than_chance AND row_number() OVER (
        PARTITION BY judged.trace, objective ORDER BY NOT better_than_chance, regret, judged.rule
    ) = 1 AS recommended
FROM judged
JOIN trace USING (trace)
LEFT JOIN corun_score AS mae ON (mae.trace, mae.rule, mae.measure) = (judged.trace, judged.rule, 'mae')
LEFT JOIN corun_score AS correlation
    ON (correlation.trace, correlation.rule, correlation.measure)
    = (judged.trace, judged.rule, 'rank_correlation')
ORDER BY judged.trace, objective DESC, regret, judged.rule;
