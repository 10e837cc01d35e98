"""The studies as sections of the page: what each is about, its figures, its parameters."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb

from pipeline.runtime.quantities import number
from pipeline.runtime.study import declared

KNOWN = ("study", "scheduler", "code_version", "seed", "timeline")
"""Columns of scenarios that are no parameters of a study; identifiers (…_id) are none either."""
MOST_VALUES = 12
"""Values of a parameter up to this number are listed; of more, how many and from where to where."""


def sections(connection: duckdb.DuckDBPyConnection, figures: Iterable[str]) -> list[dict]:
    """Each study: its name, title, figures (names), and parameters (name, meaning and values, all text)."""
    names = list(figures)
    parameters = _parameters(connection)
    return [
        {
            "study": study,
            "title": declaration.title,
            "figures": [name for name in names if name.partition("/")[0] == study],
            "parameters": parameters.get(study, []),
        }
        for study, declaration in declared().items()
    ]


def _parameters(connection) -> dict[str, list[dict]]:
    """By study: the columns of its scenarios that have values, their meaning, and the values."""
    columns = connection.execute(
        "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'scenario' AND NOT internal "
        "ORDER BY column_index"
    ).fetchall()
    meaning = {name: comment or "" for name, comment in columns if name not in KNOWN and not name.endswith("_id")}
    counts = connection.execute("SELECT study, count(*) FROM scenario GROUP BY study ORDER BY study").fetchall()
    parameters = {
        study: [{"name": "scenarios", "meaning": "replays of this study", "values": number(scenarios)}]
        for study, scenarios in counts
    }
    for name, about in meaning.items():
        # A column at a time, which takes a fifth of the time of one query with a list of each.
        values = connection.execute(
            f'SELECT study, list(value::VARCHAR ORDER BY value) FROM (SELECT DISTINCT study, "{name}" AS value '
            f'FROM scenario WHERE "{name}" IS NOT NULL) GROUP BY study ORDER BY study'
        ).fetchall()
        for study, listed in values:
            parameters[study].append({"name": name, "meaning": about, "values": _listed(listed)})
    return parameters


def _listed(values: list[str]) -> str:
    """The values, or where they are many how many and from where to where."""
    if len(values) <= MOST_VALUES:
        return ", ".join(map(_text, values))
    return f"{number(len(values))} values, {_text(values[0])} to {_text(values[-1])}"


def _text(value: str) -> str:
    """A value as DuckDB writes it, numbers as people read them."""
    try:
        return number(float(value)) if "." in value else value
    except ValueError:
        return value
