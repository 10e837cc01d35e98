-- How many ranks of a PIM machine one application should get, by each dropped trace that has it; upper and lower case are
-- the same. A name that is not there is an error.
-- columns: as ranks_to_give
CREATE MACRO best_ranks(app_name) AS TABLE
FROM ranks_to_give
WHERE lower(app) = known_name(lower(app_name), (SELECT list(DISTINCT lower(app)) FROM ranks_to_give), 'application');
