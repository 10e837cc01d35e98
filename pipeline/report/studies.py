"""The studies as sections of the page: what each is about, its figures, its parameters."""

from __future__ import annotations

from collections.abc import Iterable

import duckdb

from pipeline import sources
from pipeline.quantities import number

TITLES = {
    "hpc_memory": "Memory of HPC nodes",
    "pim_ranks": "Ranks of a PIM machine",
    "gpu_corun": "Kernels side by side on a GPU",
    "gpu_sharing": "SMs of a GPU among applications",
    "gpu_partition": "Partitions of a GPU for real-time tasks",
    "pim_graph": "Graphs over stacks of memory",
}
BELONGS = {"capacity": "hpc_memory", "corun_choice": "gpu_corun", "gpu_card": "gpu_sharing"}
"""Modules of figures that are not named after the study that they belong to."""
KNOWN = ("study", "scheduler", "code_version", "seed", "timeline", "grid")
"""Columns of scenarios that are no parameters of a study; identifiers (…_id) are none either."""
MOST_VALUES = 12
"""Values of a parameter up to this number are listed; of more, how many and from where to where."""


def sections(connection: duckdb.DuckDBPyConnection, figures: Iterable[str]) -> list[dict]:
    """Each study: its name, title, figures (names), and parameters (name, meaning and values, all text)."""
    names = list(figures)
    # Every figure has a place, also one of a study without a title or of none.
    known = list(dict.fromkeys([*TITLES, *sources.studies(), *map(study_of, names)]))
    parameters = _parameters(connection)
    return [
        {
            "study": study,
            "title": TITLES.get(study, study),
            "figures": [name for name in names if study_of(name) == study],
            "parameters": parameters.get(study, []),
        }
        for study in known
    ]


def study_of(figure: str) -> str:
    """The study that a figure, named <module>/<name>, belongs to."""
    module = figure.partition("/")[0]
    return BELONGS.get(module, module)


def _parameters(connection) -> dict[str, list[dict]]:
    """By study: the columns of its scenarios that have values, their meaning, and the values."""
    columns = connection.execute(
        "SELECT column_name, comment FROM duckdb_columns() WHERE table_name = 'scenario' AND NOT internal "
        "ORDER BY column_index"
    ).fetchall()
    meaning = {name: comment or "" for name, comment in columns if name not in KNOWN and not name.endswith("_id")}
    lists = ", ".join(
        f'list_sort(list(DISTINCT "{name}") FILTER ("{name}" IS NOT NULL))::VARCHAR[] AS "{name}"' for name in meaning
    )
    rows = connection.execute(f"SELECT study, count(*), {lists} FROM scenario GROUP BY study ORDER BY study").fetchall()
    found = {}
    for study, scenarios, *values in rows:
        given = zip(meaning.items(), values, strict=True)
        found[study] = [{"name": "scenarios", "meaning": "replays of this study", "values": number(scenarios)}] + [
            {"name": name, "meaning": about, "values": _listed(listed)} for (name, about), listed in given if listed
        ]
    return found


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
