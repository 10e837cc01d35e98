-- A number in words: four significant digits, thousands apart, a true minus; – where there is none. As
-- pipeline/runtime/quantities.py has it.
-- value: number
CREATE MACRO said_number(value) AS
replace(
    CASE
        WHEN value IS NULL THEN '–'
        WHEN abs(value) < 10000 THEN regexp_replace(printf('%.4g', value::DOUBLE), '^(-?\d)(\d{3})$', '\1,\2')
        ELSE format('{:,}', round_even(value::DOUBLE, 0)::BIGINT)
    END,
    '-', '−'
);
