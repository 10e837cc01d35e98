-- A share in words, as a percentage with a true minus; – where there is none.
-- value: share [1]
-- digits: digits behind the point [1]
CREATE MACRO said_share(value, digits := 1) AS
coalesce(replace(printf('%.' || digits || 'f', 100 * value::DOUBLE), '-', '−') || chr(160) || '%', '–');
