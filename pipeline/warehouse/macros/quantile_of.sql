-- Quantile of values that are in order, linear between two of them; levels outside 0 to 1 are those.
-- ordered: list of values, ascending
-- level: level of the quantile [1]
CREATE MACRO quantile_of(ordered, level) AS
    ordered[1 + floor(least(greatest(level, 0), 1) * (len(ordered) - 1))::BIGINT]
    + (least(greatest(level, 0), 1) * (len(ordered) - 1) - floor(least(greatest(level, 0), 1) * (len(ordered) - 1)))
    * (
        ordered[1 + ceil(least(greatest(level, 0), 1) * (len(ordered) - 1))::BIGINT]
        - ordered[1 + floor(least(greatest(level, 0), 1) * (len(ordered) - 1))::BIGINT]
    );
