-- The number of a time that is said beside others, with three significant digits.
-- seconds: time [s]
-- longest: longest of them, in whose unit all are said [s]
CREATE MACRO duration_number(seconds, longest) AS
(
    SELECT CASE
        WHEN value >= 1000 THEN format('{:,}', round_even(value, 0)::BIGINT)
        WHEN value >= 0.001 THEN printf('%.3g', value)
        WHEN value IS NOT NULL THEN '0'
    END
    FROM (
        SELECT seconds::DOUBLE / CASE
            WHEN longest >= 172800 THEN 86400 WHEN longest >= 7200 THEN 3600 WHEN longest >= 120 THEN 60 ELSE 1
        END AS value
    )
);
