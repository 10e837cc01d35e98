-- Two waits in words, `8.32 instead of 6.07 min`.
-- wait_s: mean wait [s]
-- unlimited_wait_s: mean wait with unlimited memory [s]
CREATE MACRO said_both_waits(wait_s, unlimited_wait_s) AS
duration_number(wait_s, greatest(wait_s, unlimited_wait_s)) || ' instead of '
    || duration_number(unlimited_wait_s, greatest(wait_s, unlimited_wait_s)) || chr(160)
    || duration_unit(greatest(wait_s, unlimited_wait_s));
