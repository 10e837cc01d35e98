-- Quantile of values that are in order, linear between two of them; levels outside 0 to 1 are those. Null where the level is.
-- ordered: list of values, ascending
-- level: level of the quantile [1]
CREATE MACRO quantile_of(ordered, level) AS
    CASE
        WHEN level IS NULL THEN NULL
        WHEN level <= 0 THEN ordered[1]
        WHEN level >= 1 THEN ordered[-1]
        ELSE
            ordered[1 + floor(level * (len(ordered) - 1))::BIGINT]
            + (level * (len(ordered) - 1) - floor(level * (len(ordered) - 1)))
            * (ordered[1 + ceil(level * (len(ordered) - 1))::BIGINT] - ordered[1 + floor(level * (len(ordered) - 1))::BIGINT])
    END;
