-- How many ranks to give an application: best_ranks of its performance table by Algorithm 1, or as the user noted it, of
-- each dropped trace, with what it is worth and what is known of it.
-- trace: trace
-- trace_kind: measured on a machine, or generated
-- app: application
-- best_ranks: ranks to give it [1]
-- least_best_ranks: smallest best number of the curves through the measured times that the fit allows; null = all profile points were measured, or the user notes the best [1]
-- most_best_ranks: largest best number of these; all ranks where the most that were measured are the fastest [1]
-- time_s: run time on them [s]
-- speed: speed there, as a share of the largest of the table [1]
-- source: whether that time is measured, interpolated or extrapolated (beyond the ranks that were measured)
-- points: rank counts that were measured [1]
-- most_measured: most ranks that were measured; null = none [1]
-- still_faster: whether these are the fastest that were measured and the machine has more, which may be faster still
-- status: determined or underdetermined (fewer points than free terms of the model)
-- max_ranks: ranks of the table [1]
-- unit: what these numbers count: rank, or dpu (pim_unit of trace.yaml)
-- over_all_ranks: run time on all of them over that on the best; above 1 fewer ranks are faster [1]
-- rank_s_saved: rank-seconds on all ranks less those on the best [rank s]
CREATE VIEW ranks_to_give AS
WITH measured AS (
    SELECT trace, curve, max(ranks) AS most_measured, arg_min(ranks, time_s) AS fastest_measured
    FROM perf_table
    WHERE source = 'measured'
    GROUP BY ALL
)
SELECT
    best.trace, trace.kind AS trace_kind, best.app, best.ranks AS best_ranks, least_best_ranks,
    CASE WHEN most_best_ranks IS NOT NULL AND fastest_measured = most_measured AND most_measured < max_ranks THEN max_ranks
        ELSE most_best_ranks END AS most_best_ranks,
    best.time_s, best.perf AS speed, best.source, points, most_measured,
    coalesce(fastest_measured = most_measured AND most_measured < max_ranks, false) AS still_faster,
    pim_curve.status, max_ranks, coalesce(pim_curve.unit, 'rank') AS unit,
    whole.time_s / best.time_s AS over_all_ranks,
    max_ranks * whole.time_s - best.ranks * best.time_s AS rank_s_saved
FROM perf_table AS best
JOIN pim_curve USING (trace, curve)
JOIN trace USING (trace)
LEFT JOIN measured ON measured.trace = best.trace AND measured.curve = best.curve
JOIN perf_table AS whole
    ON whole.trace = best.trace AND whole.curve = best.curve AND whole.ranks = max_ranks
WHERE best.chosen AND best.is_best
ORDER BY best.trace, best.app;
