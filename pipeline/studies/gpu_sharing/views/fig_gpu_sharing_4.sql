-- Speed-up with the clock in the four machines of Figure 4 of the thesis: surrogate curves, and what is printed.
-- app: application
-- bound: compute (1.30 or more in all four machines, in every member) or memory
-- sms: SMs of the machine [1]
-- memory_controllers: its memory controllers [1]
-- clock: clock of the SMs, over 1.3 GHz [1]
-- speedup: mean over the members [1]
-- speedup_least: least of a member [1]
-- speedup_most: largest of a member [1]
-- printed: in Section 4.1; null where it is only drawn [1]
-- members: sets of surrogate curves [1]
CREATE VIEW fig_gpu_sharing_4 AS
SELECT
    app,
    CASE WHEN min(min(speedup) FILTER (clock = 1.4)) OVER (PARTITION BY app) >= 1.30 THEN 'compute' ELSE 'memory' END AS bound,
    sms, memory_controllers, clock,
    avg(speedup) AS speedup, min(speedup) AS speedup_least, max(speedup) AS speedup_most,
    CASE
        WHEN clock < 1.4 THEN NULL
        WHEN app = 'DVC' AND sms = 10 AND memory_controllers = 3 THEN 1.23
        WHEN app = 'DVC' AND sms = 10 AND memory_controllers = 8 THEN 1.37
        WHEN app = 'SHA1' AND sms = 10 AND memory_controllers = 3 THEN 1.00
        WHEN app = 'SHA1' AND sms = 10 AND memory_controllers = 8 THEN 1.39
    END::DOUBLE AS printed,
    count(*) AS members
FROM clock_speedup_gpu_sharing
GROUP BY app, sms, memory_controllers, clock
ORDER BY bound, app, sms DESC, memory_controllers DESC, clock;
