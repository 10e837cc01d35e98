"""Views that say answers, on tables of a few rows that a test makes up."""

import re

import duckdb

from pipeline.warehouse.definitions import MACROS, VIEWS, _in_order, definitions

WORDS = ("said_", "size_", "duration_")


def row(text: str) -> dict[str, str]:
    """A row of `table` from a text: `"unit 'node', jobs 8"`."""
    return dict(each.split(maxsplit=1) for each in re.split(r",\s+", text))


def create(connection: duckdb.DuckDBPyConnection, *views: str) -> None:
    """The macros that say numbers, and the named views."""
    macros = [each for each in definitions(*MACROS) if each.name.startswith(WORDS)]
    for each in _in_order([*macros, *(each for each in definitions(*VIEWS) if each.name in views)]):
        connection.execute(each.text)


def table(connection: duckdb.DuckDBPyConnection, name: str, *rows: dict) -> None:
    """A table of rows; columns that are NULL throughout need a cast, as in {"lo": "NULL::DOUBLE"}: values are SQL."""
    selected = " UNION ALL BY NAME ".join(
        "SELECT " + ", ".join(f'{value} AS "{column}"' for column, value in row.items()) for row in rows
    )
    connection.execute(f"CREATE TABLE {name} AS {selected}")


def answer(view: str, **tables: dict | list[dict]) -> list[dict]:
    """Rows of a view in their places, on tables of a row or of several; no space of theirs is a hard one."""
    with duckdb.connect() as connection:
        for name, rows in tables.items():
            table(connection, name, *([rows] if isinstance(rows, dict) else rows))
        create(connection, view)
        said = connection.sql(f"FROM {view} ORDER BY place").to_arrow_table().to_pylist()
    return [
        {key: value.replace("\u00a0", " ") if isinstance(value, str) else value for key, value in row.items()}
        for row in said
    ]
