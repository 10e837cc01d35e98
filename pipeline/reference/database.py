"""The pages on the database: an index with a diagram and one page per study, from the comments in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache

import dataframely as dy

from pipeline import tables
from pipeline.reference import key_diagram
from pipeline.runtime.study import declared
from pipeline.tables import keys
from pipeline.warehouse import load
from pipeline.warehouse.definitions import MACROS, VIEWS, Definition, definitions
from pipeline.warehouse.schemas import KEYS, REFERENCES, RESULTS, STUDIES

SHARED = "shared"
"""The page of what all studies share."""
TITLES = {SHARED: "What all studies share", **{name: study.title for name, study in declared().items()}}
_DIAGRAM = (
    "Lines lead from a table to those whose rows refer to it, by the columns marked FK; tables with the same keys "
    "share a box."
)


def pages() -> dict[str, Callable[[], str]]:
    """Pages and their pictures by their path in the site, with what makes their text."""
    by_path: dict[str, Callable[[], str]] = {"database/index.md": index_markdown, "database/all.svg": index_svg}
    for study in TITLES:
        by_path[f"database/{study}.md"] = lambda study=study: page_markdown(study)
        by_path[f"database/{study}.svg"] = lambda study=study: page_svg(study)
    return by_path


def index_svg() -> str:
    """The picture of what holds the database together."""
    shared = _own(SHARED)
    shown = [r for r in REFERENCES if r.parent in shared or (r.child in shared and r.parent.startswith("workload"))]
    return _diagram(
        [r for r in shown if r.parent != "trace" or r.child in shared or r.child.startswith("workload")], ()
    )


def page_svg(study: str) -> str:
    """The picture of a study's tables with the columns of their keys."""
    own = _own(study)
    return _diagram([r for r in REFERENCES if r.child in own or (r.parent in own and r.study in (None, study))], own)


def index_markdown() -> str:
    """The index: the diagram, and what stands on which page."""
    lines = ["# Tables, views and macros", "", f"{_DIAGRAM} Each study has a detailed one.", ""]
    lines += ["![Tables and keys of the whole database](all.svg)"]
    for study, title in TITLES.items():
        lines += ["", f"## {title}", "", f"All of it with its columns: [{study}]({study}.md).", ""]
        for heading, listed in _sections(study):
            lines += [f"**{heading}**", ""]
            if heading.startswith("Figures"):
                lines += [", ".join(_link(study, each.signature) for each in listed), ""]
            else:
                lines += [f"* {_link(study, each.signature)}: {_gist(each.about)}" for each in listed]
                lines += [""]
        names = sorted(_own(study))
        lines += ["**Tables**", "", *(f"* {_link(study, name)}: {_gist(_about(name))}" for name in names)]
    return "\n".join(lines) + "\n"


def page_markdown(study: str) -> str:
    """A study's page: diagram, then views, macros and tables with their columns."""
    own = _own(study)
    lines = [
        f"# {TITLES[study]}",
        "",
        f"Views, macros and tables of {'all studies' if study == SHARED else f'`{study}`'} in the "
        "[database](../../guides/database.md), generated from its comments.",
        "",
        "## Tables and keys",
        "",
        _DIAGRAM,
        "",
        f"![Tables of this page with their keys]({study}.svg)",
    ]
    for heading, listed in _sections(study):
        lines += ["", f"## {heading}"]
        for each in listed:
            lines += _described(each.signature, each.about, each.columns, is_value=not each.is_table)
    lines += ["", "## Tables"]
    for name in sorted(own):
        key = KEYS.get(name)
        about = _about(name) + (f" One row for each {', '.join(f'`{column}`' for column in key)}." if key else "")
        lines += _described(name, about, _columns(name))
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


def _sections(study: str) -> list[tuple[str, list[Definition]]]:
    """Views and macros of a page by what they are for."""
    by_heading: dict[str, list[Definition]] = {"Decisions": [], "Figures and tables of the paper": [], "Results": []}
    decision = r"recommend|smallest_|best_|ranks_to_give|sms_for_qos|compare$"
    for each in definitions(*VIEWS, *MACROS):
        if _page(each) == study:
            if re.match(r"(fig|table)_", each.name):
                by_heading["Figures and tables of the paper"].append(each)
            else:
                by_heading["Decisions" if re.match(decision, each.name) else "Results"].append(each)
    by_heading["Figures and tables of the paper"].sort(key=lambda each: _natural(each.name))
    return [(heading, ones) for heading, ones in by_heading.items() if ones]


def _natural(name: str) -> list[tuple[int, str]]:
    """For sorting by the numbers in a name: 9 before 10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _described(name: str, about: str, columns: dict[str, str], *, is_value: bool = False) -> list[str]:
    rows = [f"| `{column}` | {meaning.replace('|', chr(92) + '|')} |" for column, meaning in columns.items()]
    return [
        "",
        f"### {name}",
        "",
        about,
        "",
        f"| {'argument' if is_value else 'column'} | meaning |",
        "|---|---|",
        *rows,
    ]


def _link(study: str, signature: str) -> str:
    anchor = re.sub(r"[^\w\- ]", "", signature).lower().replace(" ", "-")
    return f"[`{signature}`]({study}.md#{anchor})"


def _gist(about: str) -> str:
    """The first sentence, up to what explains it."""
    return re.split(r"(?<=[^.])\.(?:\s|$)|[:;] ", about)[0]


def _own(study: str) -> set[str]:
    return {table for table, owner in _tables().items() if owner == study}


def _diagram(references: Iterable[keys.Reference], own: Iterable[str]) -> str:
    """The picture of some references; the tables in `own` with their whole keys, others with what refers.

    What is referred to by way of another table is not shown twice.
    """
    references = [reference for reference in references if not _implied(reference)]
    own = {table for table in own if table in KEYS}
    columns = {}
    for table in {t for reference in references for t in (reference.parent, reference.child)} | own:
        referring = {column for reference in references if reference.child == table for column in reference.columns}
        key = KEYS.get(table, ())
        shown = dict.fromkeys([*(key if table in own else ()), *sorted(referring)])
        columns[table] = [_column(table, column, key, referring) for column in shown]
    return key_diagram.svg(references, columns, alone=own)


def _implied(reference: keys.Reference) -> bool:
    """Whether the child refers to a table that itself refers to the parent by the same columns."""
    return any(
        other.child == reference.child and other.parent == between.child and between.parent == reference.parent
        and set(reference.columns) < set(other.columns) and between.columns == reference.columns
        for other in REFERENCES for between in REFERENCES
    )  # fmt: skip


def _column(table: str, column: str, key: tuple[str, ...], referring: set[str]) -> key_diagram.Column:
    kinds = {dy.String: "text", dy.Float64: "number", dy.Int64: "integer", dy.Bool: "flag"}
    definition = None if table == "student_t" else _schemas()[table].columns()[column]
    kind = next((name for cls, name in kinds.items() if isinstance(definition, cls)), "integer")
    marks = ", ".join(mark for mark, holds in (("PK", column in key), ("FK", column in referring)) if holds)
    return key_diagram.Column(kind, column, marks)
