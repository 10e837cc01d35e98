"""The files below results/ that hold the rows of each table, and the page that lists them."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline import tables
from pipeline.tables.canonical import fidelity
from pipeline.warehouse.schemas import RESULTS, STUDY_FILES

NOT_IN_DATABASE = ("samples", "edges", "vertex_ids")
"""Canonical tables that stay in Parquet: they may be far larger than everything else."""


def files() -> dict[str, str]:
    """For each table a pattern of the Parquet files below the results folder that hold its rows.

    Tables are named as in the database; those that are not there, as their files.
    """
    folders = dict.fromkeys(tables.CANONICAL, "*/*") | dict.fromkeys(fidelity.CANONICAL, "fidelity/*/*")
    canonical = {tables.DATABASE_NAME.get(name, name): f"{folders[name]}/{name}.parquet" for name in tables.CANONICAL}
    patterns = {"scenario": "scenarios/**/scenarios.parquet", "metric": "replay/*/*/*/*/metrics.parquet"}
    for study, of_study in STUDY_FILES.items():
        for table, (stage, stem) in of_study.items():
            patterns[table] = f"{stage}/{study}/{'*/*/*' if stage == 'replay' else '*'}/{stem}.parquet"
    return canonical | patterns


def files_markdown() -> str:
    """The page that lists the files of each table."""
    lines = [
        "# Files of the tables",
        "",
        "Which Parquet files below `results/` hold the rows of which table; how to read them: "
        "[Parquet](../../guides/database.md#results-as-parquet).",
        "",
        "| table | files below `results/` |",
        "|---|---|",
    ]
    lines += [f"| `{table}` | `{pattern}` |" for table, pattern in files().items()]
    made = [*sorted(set(RESULTS) - set(files())), "student_t"]
    lines += [
        "",
        f"Made while the database is assembled, and in it alone: {_names(made)}. In files alone, because they may be "
        f"far larger than everything else: {_names(NOT_IN_DATABASE)}.",
    ]
    return "\n".join(lines) + "\n"


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
