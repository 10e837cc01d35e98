-- The number of an amount of memory that is said beside others.
-- gb: amount [GB]
-- largest_gb: largest of them, in whose unit all are said [GB]
-- mean_gb: mean that amounts are multiples of; null = they are amounts [GB]
-- digits: significant digits of an amount, at most four [1]
CREATE MACRO size_number(gb, largest_gb, mean_gb := NULL, digits := 4) AS
CASE
    WHEN mean_gb IS NOT NULL THEN printf('%.3g', gb::DOUBLE / mean_gb)
    ELSE said_number(
        CASE WHEN digits < 4 THEN printf('%.' || digits || 'g', gb::DOUBLE)::DOUBLE ELSE gb::DOUBLE END
        / CASE WHEN largest_gb >= 1000 THEN 1000 WHEN largest_gb >= 0.1 OR largest_gb = 0 THEN 1 ELSE 0.001::DOUBLE END
    )
END;
