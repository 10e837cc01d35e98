-- Memory in words, `105–147 GB`: in the unit of the larger of two amounts, or as multiples of a mean that is assumed.
-- least_gb: smaller amount; null = none is known, and nothing is said [GB]
-- most_gb: larger amount, the same for a single one [GB]
-- mean_gb: mean that amounts are multiples of; null = they are amounts [GB]
CREATE MACRO said_size(least_gb, most_gb, mean_gb := NULL) AS
CASE
    WHEN most_gb IS NULL THEN NULL
    WHEN size_number(least_gb, most_gb, mean_gb) = size_number(most_gb, most_gb, mean_gb) THEN ''
    ELSE size_number(least_gb, most_gb, mean_gb) || '–'
END || size_number(most_gb, most_gb, mean_gb) || chr(160) || size_unit(most_gb, mean_gb);
