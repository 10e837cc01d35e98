"""What queries of the report gave in earlier runs, so that those whose tables have not changed are not asked again.

An answer is known by its query, the version of views and code, and the hashes of the tables that it reads, which the
database keeps of what it was made from (table `loaded`). A study's views read no other study's results, and of `trace`
the rows of what the study replays and of what their other tables tell of, so that a new drop leaves the answers of the
studies that it does not touch.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc

from pipeline.runtime import storage
from pipeline.runtime.sources import OF_DROP
from pipeline.tables import DATABASE_NAME
from pipeline.warehouse.definitions import MACROS, VIEWS, definitions
from pipeline.warehouse.schemas import STUDIES

LEADING = "FROM trace"
"""Marks a query that begins with the traces and may have a row for each; others join them to their rows."""
OF_ALL_STUDIES = ("scenario", "metric")
# pyarrow.feather would import pandas, in one thread while another draws.
PACKED = ipc.IpcWriteOptions(compression="lz4")
UNCHANGING = ("scheduler", "student_t", "assumption")
"""Tables that are made of the code alone."""


DEFINITIONS_SQL = """\
SELECT view_name, regexp_replace(sql, '^CREATE VIEW [^(]*?(\\([^)]*\\))? AS ', '')
FROM duckdb_views() WHERE NOT internal
UNION ALL
SELECT function_name, CASE function_type WHEN 'macro' THEN 'SELECT ' ELSE '' END || macro_definition
FROM duckdb_functions() WHERE NOT internal"""
"""Queries of views and macros; of a macro that gives a value, one that gives it."""


NOT_IN_XML = r"[\x00-\x08\x0b\x0c\x0e-\x1f\x{fffe}\x{ffff}]"
"""Characters that XML 1.0 does not have (section 2.2), in the syntax of RE2: what draws SVG ends the process at one."""


def printable(rows: pa.Table) -> pa.Table:
    """The rows with a replacement character for what neither page nor figures can hold; names are anybody's."""
    for position, field in enumerate(rows.schema):
        if pa.types.is_string(field.type):
            texts = pc.replace_substring_regex(rows.column(position), NOT_IN_XML, "\ufffd")
            rows = rows.set_column(position, field, texts)
    return rows


class Read(NamedTuple):
    """A table that a query reads, through views of `study` (None: of none, so that it may read all studies' rows)."""

    table: str
    study: str | None


class Answers:
    """The answers to queries on a database, those of earlier runs in a folder of Arrow files, one per answer."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, folder: Path):
        self._folder = folder
        self._pieces = dict(connection.execute("FROM loaded").fetchall())
        rows = connection.execute("FROM trace ORDER BY ALL").fetchall()
        columns = [name for name, *_ in connection.description]
        drop, trace = columns.index("drop"), columns.index("trace")
        self._traces = [(row[drop], row[trace], repr(row)) for row in rows]
        self._told_of: dict[str, set[str]] = {}
        self._settings = repr(connection.execute("FROM setting ORDER BY ALL").fetchall())
        self._tables = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
        folders = {each.name: each.path.parts for each in definitions(*MACROS, *VIEWS)}
        self._study = {name: next((part for part in parts if part in STUDIES), None) for name, parts in folders.items()}
        # A view and a macro may have one name.
        self._named: defaultdict[str, set[str]] = defaultdict(set)
        for name, sql in connection.execute(DEFINITIONS_SQL).fetchall():
            self._named[name] |= self._names(connection, sql)
        self._owner = {table: study for study, module in STUDIES.items() for table in module.RESULTS}
        self._locks: defaultdict[str, Lock] = defaultdict(Lock)
        self._used: set[str] = set()

    def of(self, connection: duckdb.DuckDBPyConnection, sql: str) -> pa.Table:
        """Rows of a query, of an earlier run where nothing that it reads has changed."""
        key = self._key(connection, sql)
        if key is None:
            return printable(connection.sql(sql).to_arrow_table())
        file = self._folder / f"{key}.arrow"
        with self._locks[key]:
            self._used.add(file.name)
            if file.is_file():
                with ipc.open_file(file) as reader:
                    return reader.read_all()
            rows = printable(connection.sql(sql).to_arrow_table())
            with storage.replacing_file(file) as part, ipc.new_file(part, rows.schema, options=PACKED) as writer:
                writer.write_table(rows)
            return rows

    def forget(self) -> None:
        """Remove what was not asked for."""
        for file in self._folder.glob("*.arrow"):
            if file.name not in self._used:
                file.unlink()

    def _key(self, connection: duckdb.DuckDBPyConnection, sql: str) -> str | None:
        """Name of an answer; None where it reads a table that nothing is known of, as those of claims."""
        reads = sorted(self.reads(connection, sql), key=str)
        hashes = [
            self._hash(each) for each in reads if each.table != LEADING and (each.table != "trace" or not each.study)
        ]
        for study in {each.study for each in reads if each.table == "trace" and each.study}:
            own_tables = {table for table, through in reads if through == study}
            if LEADING in own_tables:
                hashes.append(self._hash(Read("trace", None)))
            else:
                told_by = own_tables & set(DATABASE_NAME.values()) - {"trace"}
                hashes.append(repr(self._traces_of(connection, study, told_by)))
        if None in hashes:
            return None
        return hashlib.sha256(repr([sql, self._pieces["code"], hashes]).encode()).hexdigest()

    def reads(self, connection: duckdb.DuckDBPyConnection, sql: str) -> set[Read]:
        """The tables that a query reads, also through views and macros."""
        base_tables: set[Read] = set()
        waiting = [Read(name, None) for name in self._names(connection, sql)]
        seen = set(waiting)
        while waiting:
            name, study = each = waiting.pop()
            if name in self._tables or name == LEADING:
                base_tables.add(each)
            inner = {Read(named, study or self._study.get(name)) for named in self._named.get(name, ())} - seen
            seen |= inner
            waiting += inner
        return base_tables

    @staticmethod
    def _names(connection: duckdb.DuckDBPyConnection, sql: str) -> set[str]:
        """Names of what a query reads and calls, as DuckDB's parser finds them; names of its own subqueries, too."""
        ((text,),) = connection.execute("SELECT json_serialize_sql($1)", [sql]).fetchall()
        tree = json.loads(text)
        if tree["error"]:
            raise ValueError(f"what {sql!r} reads cannot be told: {tree['error_message']}")
        names = set(_values(tree, ("table_name", "function_name")))
        return names | {LEADING} if re.search(rf"\b{LEADING}\b", sql, re.IGNORECASE) else names

    def _traces_of(self, connection: duckdb.DuckDBPyConnection, study: str, tables: Iterable[str]) -> list[str]:
        """Rows of the traces that a study replays, or that canonical tables tell of."""
        held: set[str] = set()
        for table in tables:
            if table not in self._told_of:
                rows = connection.execute(f"SELECT DISTINCT trace FROM {table}").fetchall()
                self._told_of[table] = {trace for (trace,) in rows}
            held |= self._told_of[table]
        return [row for drop, trace, row in self._traces if trace in held or f"{study}/{OF_DROP}{drop}" in self._pieces]

    def _hash(self, read: Read) -> str | None:
        table, study = read
        if table in DATABASE_NAME.values():
            return f"{table} {self._pieces[table]}"
        if table in UNCHANGING:
            return table
        if table == "setting":
            return self._settings
        owner = self._owner.get(table)
        if owner and study and owner != study:
            return ""
        if not owner and table not in OF_ALL_STUDIES:
            return None
        of = owner or study
        parts = sorted(piece for piece in self._pieces.items() if "/" in piece[0])
        return f"{table} {[part for part in parts if of in (None, part[0].partition('/')[0])]}"


def _values(tree: Any, keys: Iterable[str]) -> Iterator[str]:
    """Values of the keys, wherever they are in a JSON document."""
    if isinstance(tree, dict):
        yield from (tree[key] for key in keys if isinstance(tree.get(key), str))
    for inner in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _values(inner, keys)


class Connection:
    """A connection to the database whose method `sql` gives remembered answers; all else is the connection's."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, answers: Answers):
        self._connection, self._answers = connection, answers

    def cursor(self) -> Connection:
        """Another connection of the kind, for a thread of its own."""
        return Connection(self._connection.cursor(), self._answers)

    def sql(self, query: str) -> Answer:
        """The rows of a query, when they are asked for."""
        return Answer(self, query)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


class Answer(NamedTuple):
    """The rows of a query."""

    connection: Connection
    query: str

    def to_arrow_table(self) -> pa.Table:
        """The rows."""
        return self.connection._answers.of(self.connection._connection, self.query)


@contextmanager
def remembering(connection: duckdb.DuckDBPyConnection, folder: Path) -> Iterator[Connection]:
    """A connection that remembers answers in the folder; what is not asked for by the end is forgotten."""
    folder.mkdir(parents=True, exist_ok=True)
    answers = Answers(connection, folder)
    yield Connection(connection, answers)
    answers.forget()
