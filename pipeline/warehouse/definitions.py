"""Views and macros of the database: one per file, described by the comment lines at its head."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import duckdb

from pipeline.runtime import sources
from pipeline.runtime.study import declared

FOLDERS = {
    kind: (Path(__file__).with_name(kind), *(sources.PACKAGE / "studies" / name / kind for name in sources.studies()))
    for kind in ("views", "macros")
}
"""Where views and macros lie: those that all studies share, and each study's own.

A macro may have the name of a view: DuckDB tells them apart by their arguments.
"""
VIEWS, MACROS = FOLDERS["views"], FOLDERS["macros"]
EACH = re.compile(r"\{each study: ([^}]*)\}")
READ = re.compile(r"\b(?:FROM|JOIN)[\s(]+(\w+)|\b(\w+)\(")
"""A view or a table that a query reads, or a macro that it calls; and other words."""


def _union(query: str) -> str:
    """The query, of all studies that have the view in it whose name ends with `*`, as one."""
    stem = re.search(r"(\w+)\*", query)[1]
    return " UNION ALL BY NAME ".join(query.replace("*", study) for study in declared() if files_of(f"{stem}{study}"))


@dataclass(frozen=True)
class Definition:
    """A file `<name>.sql` that creates the view or the macro of this name.

    It begins with comment lines: what is answered, then `-- column: meaning [unit]` for each column (of a macro that
    gives a value: for each parameter), continued in lines that are indented. `-- columns: as <name>` represents those
    of another file, which lies in the same folder or in one of FOLDERS. In a file of all studies `{each study: FROM
    comparable_*}` represents the union over the studies that have such a view, `{drawn}` and `{keys}` for the
    parameters that studies declare so.
    """

    path: Path

    @property
    def name(self) -> str:
        """Name of the view or macro."""
        return self.path.stem

    @cached_property
    def text(self) -> str:
        """The file's SQL, with what it asks of all studies filled in."""
        text = self.path.read_text(encoding="utf-8")
        text = EACH.sub(lambda asked: _union(asked[1]), text)
        for word in ("drawn", "keys"):
            if f"{{{word}}}" in text:
                names = [name for study in declared().values() for name in getattr(study, word)]
                text = text.replace(f"{{{word}}}", ", ".join(dict.fromkeys(names)))
        return text

    @cached_property
    def parameters(self) -> list[str] | None:
        """Parameters of a macro, without their defaults; None of a view."""
        match = re.search(rf"^CREATE MACRO {self.name}\(([^)]*)\)", self.text, re.MULTILINE)
        return None if match is None else [part.partition(":=")[0].strip() for part in match[1].split(",")]

    @cached_property
    def is_table(self) -> bool:
        """Whether it stands after FROM: a view, or a macro that gives a table."""
        return self.parameters is None or re.search(r"\) AS TABLE\s", self.text) is not None

    @property
    def signature(self) -> str:
        """How it is called: the name, of a macro with the names of its parameters."""
        return self.name if self.parameters is None else f"{self.name}({', '.join(self.parameters)})"

    @cached_property
    def _header(self) -> tuple[str, dict[str, str]]:
        about, columns = [], {}
        for line in self.text.splitlines():
            if not line.startswith("--"):
                break
            content = line[2:].strip()
            if columns and line.startswith("--  "):
                columns[[*columns][-1]] += f" {content}"
                continue
            match = re.fullmatch(r"(\w+): (.+)", content)
            if match and match[1] == "columns" and match[2].startswith("as "):
                columns |= self._named(match[2].removeprefix("as ")).columns
            elif match:
                columns[match[1]] = match[2]
            elif columns:
                raise ValueError(f"{self.path.name}: indent a line that continues a column: {line}")
            else:
                about.append(content)
        return " ".join(about), columns

    def _named(self, name: str) -> Definition:
        for path in (self.path.with_name(f"{name}.sql"), *files_of(name)):
            if path.is_file() and path != self.path:
                return Definition(path)
        raise ValueError(f"{self.path.name}: its columns are said to be as those of {name}, and there is no {name}.sql")

    @property
    def about(self) -> str:
        """What it answers."""
        return self._header[0]

    @property
    def columns(self) -> dict[str, str]:
        """Meaning of each column, with its unit in brackets; of a macro that gives a value, of each parameter."""
        return self._header[1]


def files_of(name: str) -> list[Path]:
    """Files of the views and macros of a name: macros first."""
    paths = (folder / f"{name}.sql" for folder in (*MACROS, *VIEWS))
    return [path for path in paths if path.is_file()]


def definitions(*folders: Path) -> list[Definition]:
    """Views and macros of the folders, by name."""
    return sorted((Definition(path) for folder in folders for path in folder.glob("*.sql")), key=lambda d: d.path.stem)


def create_views(connection: duckdb.DuckDBPyConnection, *folders: Path) -> None:
    """Create the views and macros of the folders, each after those that it reads, and their comments.

    Raises ValueError where a file cannot be created, or a column has no comment or a comment no column.
    """
    given = definitions(*folders)
    waiting = _in_order(given)
    while waiting:
        later, problems = [], []
        for definition in waiting:
            try:
                connection.execute(definition.text)
            except duckdb.CatalogException as error:
                later.append(definition)
                problems.append(f"{definition.path.name}: {error}")
            except duckdb.Error as error:
                raise ValueError(f"{definition.path.name}: {error}") from error
        if len(later) == len(waiting):
            raise ValueError("views that cannot be created: " + "; ".join(problems))
        waiting = later
    of_views = _columns_of_views(connection)
    with together(connection):
        for definition in given:
            _describe(connection, definition, of_views)


def _in_order(given: list[Definition]) -> list[Definition]:
    """The definitions, each after those that it seems to read: a failed attempt costs as much as a creation."""
    ordered: dict[Path, Definition] = {}

    def add(definition: Definition, above: frozenset[Path]) -> None:
        if definition.path in ordered or definition.path in above:
            return
        names = {view or macro for view, macro in READ.findall(definition.text)}
        for other in given:
            if other.name in names:
                add(other, above | {definition.path})
        ordered[definition.path] = definition

    for definition in given:
        add(definition, frozenset())
    return list(ordered.values())


def _describe(connection: duckdb.DuckDBPyConnection, definition: Definition, of_views: Mapping[str, list[str]]) -> None:
    """Comments on a view or macro and its columns. Raises ValueError where they are not the columns that it has."""
    is_view = definition.parameters is None
    columns = of_views[definition.name] if is_view else _columns(connection, definition)
    if columns != list(definition.columns):
        raise ValueError(
            f"{definition.path.name}: columns are {columns}, its header describes {list(definition.columns)}"
        )
    if is_view:
        comment(connection, "VIEW", definition.name, definition.about, definition.columns)
    else:
        # DuckDB keeps no comments on the columns of a macro: they follow what it answers.
        lines = [definition.about, *(f"{column}: {meaning}" for column, meaning in definition.columns.items())]
        comment(connection, "MACRO TABLE" if definition.is_table else "MACRO", definition.name, "\n".join(lines), {})


def _columns_of_views(connection: duckdb.DuckDBPyConnection) -> dict[str, list[str]]:
    """Columns of each view, as DuckDB keeps them since its creation."""
    query = """
        SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns()
        WHERE NOT internal AND database_name = current_database() GROUP BY ALL
    """
    return dict(connection.execute(query).fetchall())


def _columns(connection: duckdb.DuckDBPyConnection, macro: Definition) -> list[str]:
    """Columns that a macro has; the parameters of a macro that gives a value."""
    if not macro.is_table:
        return macro.parameters or []
    arguments = ", ".join("NULL" for _ in macro.parameters or [])
    return [row[0] for row in connection.execute(f"DESCRIBE FROM {macro.name}({arguments})").fetchall()]


@contextmanager
def together(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """One transaction for many statements: each would be written to the disk by itself."""
    connection.execute("BEGIN TRANSACTION")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def comment(connection: duckdb.DuckDBPyConnection, kind: str, name: str, text: str, columns: Mapping[str, str]) -> None:
    """Comments on a table, view or macro and on its columns."""
    connection.execute(f"COMMENT ON {kind} {name} IS '{quoted(text)}'")
    for column, meaning in columns.items():
        connection.execute(f"""COMMENT ON COLUMN {name}."{column}" IS '{quoted(meaning)}'""")


def quoted(text: object) -> str:
    """Text for between the quotes of SQL."""
    return str(text).replace("'", "''")
