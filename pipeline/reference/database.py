"""The pages on the database: for each study its views, macros and tables with their columns, from the comments."""

from __future__ import annotations

from functools import cache

import dataframely as dy

from pipeline import tables
from pipeline.runtime.study import declared
from pipeline.warehouse import load
from pipeline.warehouse.definitions import MACROS, VIEWS, Definition, definitions
from pipeline.warehouse.schemas import KEYS, RESULTS, STUDIES

SHARED = "shared"
"""The page of what all studies share."""
TITLES = {SHARED: "What all studies share", **{name: study.title for name, study in declared().items()}}


def page_markdown(study: str) -> str:
    """A study's page: views, macros and tables with their columns."""
    lines = [
        f"# {TITLES[study]}",
        "",
        f"Views, macros and tables of {'all studies' if study == SHARED else f'`{study}`'} in the "
        "[database](../../guides/database.md), generated from its comments.",
        "",
        "## Views and macros",
    ]
    for each in definitions(*VIEWS, *MACROS):
        if _page(each) == study:
            lines += _described(each.signature, each.about, each.columns, "column" if each.is_table else "argument")
    lines += ["", "## Tables"]
    for name in sorted(table for table, owner in _tables().items() if owner == study):
        key = KEYS.get(name)
        about = _about(name) + (f" One row for each {', '.join(f'`{column}`' for column in key)}." if key else "")
        lines += _described(name, about, _columns(name), "column")
    return "\n".join(lines) + "\n"


@cache
def _tables() -> dict[str, str]:
    """The database's tables and whose page they stand on."""
    page_of = dict.fromkeys(["student_t", *_schemas()], SHARED)
    for study, declaration in declared().items():
        page_of |= dict.fromkeys([*declaration.tables, *STUDIES[study].RESULTS], study)
    return page_of


def _schemas() -> dict[str, type[dy.Schema]]:
    canonical = {tables.DATABASE_NAME[name]: s for name, s in tables.CANONICAL.items() if name in tables.DATABASE_NAME}
    return canonical | RESULTS


def _about(table: str) -> str:
    return load.STUDENT_T[0] if table == "student_t" else " ".join((_schemas()[table].__doc__ or "").split())


def _columns(table: str) -> dict[str, str]:
    if table == "student_t":
        return load.STUDENT_T[1]
    return {column: load.description(definition) for column, definition in _schemas()[table].columns().items()}


def _page(definition: Definition) -> str:
    """The page of a view or macro: of the study in whose folder it lies, else shared."""
    folder = definition.path.parent.parent.name
    return folder if folder in STUDIES else SHARED


def _described(name: str, about: str, columns: dict[str, str], what: str) -> list[str]:
    rows = [f"| `{column}` | {meaning.replace('|', chr(92) + '|')} |" for column, meaning in columns.items()]
    return ["", f"### {name}", "", about, "", f"| {what} | meaning |", "|---|---|", *rows]
