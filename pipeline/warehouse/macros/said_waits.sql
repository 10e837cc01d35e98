-- How much longer users wait than with unlimited memory, in words: both waits in one unit, and in percent unless it is ten
-- times as long.
-- wait_s: mean wait [s]
-- unlimited_wait_s: mean wait with unlimited memory [s]
CREATE MACRO said_waits(wait_s, unlimited_wait_s) AS
CASE
    WHEN greatest(wait_s, unlimited_wait_s) < 1 THEN 'users wait less than a second'
    WHEN unlimited_wait_s = 0 OR wait_s / nullif(unlimited_wait_s, 0) - 1 >= 10
        THEN 'users wait ' || said_both_waits(wait_s, unlimited_wait_s)
    WHEN abs(wait_s / unlimited_wait_s - 1) < 0.005
        THEN 'users wait as long as with unlimited memory (' || said_duration(unlimited_wait_s) || ')'
    ELSE 'users wait ' || said_share(abs(wait_s / unlimited_wait_s - 1), digits := 0)
        || CASE WHEN wait_s > unlimited_wait_s THEN ' longer' ELSE ' less' END
        || ' (' || said_both_waits(wait_s, unlimited_wait_s) || ')'
END;
