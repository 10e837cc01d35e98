-- The 95 % interval of a margin in words, and that it is open which of two is better where it holds no difference.
-- lo: lower end; null = no interval [1]
-- hi: upper end [1]
-- kind: difference (in points), or another margin_kind (in percent)
CREATE MACRO said_interval(lo, hi, kind) AS
CASE
    WHEN lo IS NULL OR hi IS NULL THEN 'no interval'
    ELSE said_margin_number(lo, kind) || ' to ' || said_margin_number(hi, kind)
        || CASE WHEN lo <= 0 AND hi >= 0 THEN ', open' ELSE '' END
END;
