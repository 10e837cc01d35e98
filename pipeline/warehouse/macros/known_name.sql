-- A name, where it is among the known ones; else an error that says which known names are most like it (Jaro-Winkler).
-- Macros ask it, so that a mistyped name does not give an empty answer.
-- name: name that is asked for
-- known: list of the names that there are
-- what: what they name, for the message
CREATE MACRO known_name(name, known, what) AS
CASE
    WHEN list_contains(known, name) THEN name
    ELSE error(
        'no ' || what || ' ' || coalesce('''' || name || '''', 'NULL') || ' here' || coalesce(
            '; names like it: ' || array_to_string(
                list_transform(
                    list_reverse_sort(list_transform(
                        known,
                        lambda each: {'likeness': jaro_winkler_similarity(lower(each), lower(name)), 'each': each}
                    ))[:3],
                    lambda near: '''' || near.each || ''''
                ), ', '
            ), '; there are none'
        )
    )
END;
