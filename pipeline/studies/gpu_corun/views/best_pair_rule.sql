-- Which rule should choose who shares a GPU, for each trace with pairs, card and protocol (what the fit of the rule has not
-- seen), the best first; docs/guides/corun-choice.md says how they are judged.
-- trace: trace
-- trace_kind: measured on a machine, or generated
-- gpu: card; null = the only one of the trace
-- protocol: unseen_pairs, unseen_jobs or unseen_card
-- rule: rule (slate_table1 where profiles tell classes); greedy_measured knows what it is judged by and cannot be used
-- speedup: weighted speedup of sets of applications over taking turns, mean [1]
-- speedup_lo: lower end of its 95 % interval over applications [1]
-- speedup_hi: upper end [1]
-- regret: speedup of the best pairing over that of the rule, less 1, mean over sets [1]
-- regret_lo: lower end of its 95 % interval over applications [1]
-- regret_hi: upper end [1]
-- over_random: speedup less that of a random partner [1]
-- over_random_lo: lower end of its 95 % interval over applications [1]
-- over_random_hi: upper end [1]
-- over_null: speedup less that of the null model, which predicts the same share for all [1]
-- over_null_lo: lower end of its 95 % interval over applications [1]
-- over_null_hi: upper end [1]
-- better_than_chance: whether the interval of over_random lies above 0
-- better_than_turns: whether the interval of speedup lies above 1
-- harmed: applications that run slower than by taking turns, as a share; null = not counted [1]
-- unfit: applications in chosen pairs that do not fit, as a share; null = not counted [1]
-- mae: mean absolute error of slowdowns that the fit has not seen; null = it predicts none [1]
-- mae_lo: lower end of its 95 % interval over applications [1]
-- mae_hi: upper end [1]
-- rank_correlation: of predicted with measured slowdowns; null = it orders none [1]
-- sets: sets [1]
-- apps: applications that ran side by side [1]
-- recommended: least mean regret of those that can be used, are better than chance, and better than taking turns or nothing but
--   that (of equals the simpler); nobody where none is
CREATE VIEW best_pair_rule AS
WITH judged AS (
    SELECT
        trace, gpu, protocol, rule,
        max(value) FILTER (measure = 'speedup') AS speedup,
        max(lo) FILTER (measure = 'speedup') AS speedup_lo,
        max(hi) FILTER (measure = 'speedup') AS speedup_hi,
        max(value) FILTER (measure = 'regret') AS regret,
        max(lo) FILTER (measure = 'regret') AS regret_lo,
        max(hi) FILTER (measure = 'regret') AS regret_hi,
        max(value) FILTER (measure = 'over_random') AS over_random,
        max(lo) FILTER (measure = 'over_random') AS over_random_lo,
        max(hi) FILTER (measure = 'over_random') AS over_random_hi,
        max(value) FILTER (measure = 'over_null') AS over_null,
        max(lo) FILTER (measure = 'over_null') AS over_null_lo,
        max(hi) FILTER (measure = 'over_null') AS over_null_hi,
        coalesce(max(lo) FILTER (measure = 'over_random') > 0, false) AS better_than_chance,
        coalesce(max(lo) FILTER (measure = 'speedup') > 1, false) AS better_than_turns,
        max(value) FILTER (measure = 'harmed') AS harmed,
        max(value) FILTER (measure = 'unfit') AS unfit,
        max(value) FILTER (measure = 'mae') AS mae,
        max(lo) FILTER (measure = 'mae') AS mae_lo,
        max(hi) FILTER (measure = 'mae') AS mae_hi,
        max(value) FILTER (measure = 'rank_correlation') AS rank_correlation,
        max(n) FILTER (measure = 'speedup') AS sets,
        max(apps) AS apps
    FROM pair_score
    GROUP BY ALL
),
ranked AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY trace, gpu, protocol
            ORDER BY NOT usable, regret, list_position(['never', 'always', 'mean_share', 'slate_table1', 'saturation', 'ridge'], rule)
        ) AS place
    FROM (
        SELECT
            *, better_than_chance AND rule NOT IN ('greedy_measured', 'random_partner')
            AND (better_than_turns OR rule = 'never') AS usable
        FROM judged
    )
)
SELECT
    ranked.trace, trace.kind AS trace_kind, ranked.* EXCLUDE (trace, usable, place), usable AND place = 1 AS recommended
FROM ranked
JOIN trace USING (trace)
ORDER BY ranked.trace, gpu, list_position(['unseen_pairs', 'unseen_jobs', 'unseen_card'], protocol), regret, rule;
