-- A margin in words: points for a difference of two shares, else percent.
-- value: margin [1]
-- kind: difference (in points), or another margin_kind (in percent)
CREATE MACRO said_margin_number(value, kind) AS
CASE WHEN kind = 'difference' THEN said_number(100 * value::DOUBLE) || ' points' ELSE said_share(value) END;
