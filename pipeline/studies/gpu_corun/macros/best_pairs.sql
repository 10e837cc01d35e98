-- Who should share a GPU with whom, were all applications of a trace to run on one card: each application once, by the
-- pairs that were measured; a partner of null says to leave it alone. A name that is not there is an error.
-- trace: trace
-- gpu: card; null = the only one of the trace
-- app: application
-- partner: application to run it beside; null = leave it alone
-- gain: weighted speedup of the pair over taking turns, less 1; 0 = alone [1]
-- gain_lo: lower end: of runs of the pair; null = measured once [1]
-- gain_hi: upper end [1]
-- share: its rate beside the partner over that alone; below a half it runs slower than by taking turns [1]
-- basis: measured or alone
-- total_gain: mean gain of all applications of the card [1]
-- total_lo: lower end of its 95 % jackknife interval over pairs and applications alone [1]
-- total_hi: upper end [1]
CREATE MACRO best_pairs(trace_name) AS TABLE
SELECT
    trace, gpu, app, partner, speedup - 1 AS gain, lo - 1 AS gain_lo, hi - 1 AS gain_hi, share, basis,
    total_speedup - 1 AS total_gain, total_lo - 1 AS total_lo, total_hi - 1 AS total_hi
FROM best_pair
WHERE trace = known_name(trace_name, (SELECT list(DISTINCT trace) FROM best_pair), 'trace')
ORDER BY gpu, speedup DESC, least(app, coalesce(partner, app)), app;
