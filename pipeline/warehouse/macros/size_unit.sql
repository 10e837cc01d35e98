-- The unit of amounts of memory that are said together: TB, GB or MB, or times the mean that they are multiples of.
-- largest_gb: largest of them [GB]
-- mean_gb: mean that amounts are multiples of; null = they are amounts [GB]
CREATE MACRO size_unit(largest_gb, mean_gb := NULL) AS
CASE
    WHEN mean_gb IS NOT NULL THEN 'times the mean'
    WHEN largest_gb >= 1000 THEN 'TB'
    WHEN largest_gb >= 0.1 OR largest_gb = 0 THEN 'GB'
    ELSE 'MB'
END;
