-- The number of an amount of memory that is said beside others.
-- gb: amount [GB]
-- largest_gb: largest of them, in whose unit all are said [GB]
-- mean_gb: mean that amounts are multiples of; null = they are amounts [GB]
CREATE MACRO size_number(gb, largest_gb, mean_gb := NULL) AS
CASE
    WHEN mean_gb IS NOT NULL THEN printf('%.3g', gb::DOUBLE / mean_gb)
    WHEN largest_gb >= 1000 THEN said_number(gb::DOUBLE / 1000)
    WHEN largest_gb >= 0.1 OR largest_gb = 0 THEN said_number(gb::DOUBLE)
    ELSE said_number(gb::DOUBLE / 0.001::DOUBLE)
END;
