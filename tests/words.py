"""Views that say answers, on tables of a few rows that a test makes up."""

import duckdb

from pipeline.warehouse.definitions import MACROS, VIEWS, _in_order, definitions

WORDS = ("said_", "size_", "duration_")


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
