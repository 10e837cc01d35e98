-- A time in words, in the unit in which it has one to three digits before the point.
-- seconds: time [s]
CREATE MACRO said_duration(seconds) AS
coalesce(duration_number(seconds, seconds) || chr(160) || duration_unit(seconds), '–');
