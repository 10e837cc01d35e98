-- A name, where it is among the known ones; else an error that says which known names are most like it (Jaro-Winkler).
-- Macros ask it, so that a mistyped name does not give an empty answer.
-- name: name that is asked for
-- known: list of the names that there are
-- what: what they name, for the message
CREATE MACRO known_name(name, known, what) AS
CASE
    -- No lambda functions, which DuckDB 1.2 would have to read.
    WHEN list_contains(known, name) THEN name
    ELSE error('no ' || what || ' ' || coalesce('''' || name || '''', 'NULL') || ' here' || coalesce(
        '; names like it: ' || (
            SELECT string_agg('''' || each || '''', ', ' ORDER BY likeness DESC, each)
            FROM (
                SELECT each, jaro_winkler_similarity(lower(each), lower(name)) AS likeness
                FROM (SELECT unnest(known) AS each)
                ORDER BY likeness DESC, each
                LIMIT 3
            )
        ),
        '; there are none'
    ))
END;
