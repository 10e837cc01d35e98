-- Memory in words, `105–147 GB`: in the unit of the larger of two amounts, or as multiples of a mean that is assumed.
-- least_gb: smaller amount; null = none is known, and nothing is said [GB]
-- most_gb: larger amount, the same for a single one [GB]
-- mean_gb: mean that amounts are multiples of; null = they are amounts [GB]
-- digits: significant digits of an amount, at most four [1]
CREATE MACRO said_size(least_gb, most_gb, mean_gb := NULL, digits := 4) AS
CASE
    WHEN most_gb IS NULL THEN NULL
    WHEN size_number(least_gb, most_gb, mean_gb, digits) = size_number(most_gb, most_gb, mean_gb, digits) THEN ''
    ELSE size_number(least_gb, most_gb, mean_gb, digits) || '–'
END || size_number(most_gb, most_gb, mean_gb, digits) || chr(160) || size_unit(most_gb, mean_gb);
