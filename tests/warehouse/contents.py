"""What a database holds, to compare it with another one."""

import re

import duckdb
import polars as pl
import polars.selectors as cs

DEFINED = """
    SELECT 'table', table_name, NULL, comment FROM duckdb_tables()
    UNION ALL SELECT 'column', table_name || '.' || column_name, data_type, comment FROM duckdb_columns()
    WHERE NOT internal
    UNION ALL SELECT 'view', view_name, sql, comment FROM duckdb_views() WHERE NOT internal
    UNION ALL SELECT 'macro', function_name, macro_definition, comment FROM duckdb_functions() WHERE NOT internal
    ORDER BY ALL
"""


def opened(database):
    """Connection to a database, to read, that sums in one order."""
    return duckdb.connect(str(database), read_only=True, config={"threads": 1})


def defined(connection):
    """Every table, column, view and macro with the words of its definition and its comment.

    DuckDB writes the columns after EXCLUDE in any order.
    """
    definitions = connection.execute(DEFINED).fetchall()
    assert {kind for kind, *_ in definitions} == {"table", "column", "view", "macro"}
    return sorted((kind, name, sorted(re.findall(r"\w+", sql or "")), text) for kind, name, sql, text in definitions)


def tables(connection):
    """Names of the tables."""
    return [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall()]


def views(connection):
    """Names of the views."""
    query = "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY ALL"
    return [name for (name,) in connection.execute(query).fetchall()]


def rows(connection, name):
    """The rows of a table or view in their order."""
    return pl.from_arrow(connection.sql(f"FROM {name}").to_arrow_table())


def hashed(connection, name):
    """How many rows a table or view has, and a hash of them that knows no order.

    Numbers count to nine digits, as the last ones of a mean depend on the order of rows.
    """
    frame = rows(connection, name)
    rounded = frame.with_columns(cs.decimal().cast(pl.Float64)).with_columns(cs.float().round_sig_figs(9) + 0.0)
    return frame.height, int(rounded.hash_rows(seed=1).cast(pl.UInt64).sum() if frame.height else 0)


def different(one, other, with_views=False):
    """Names of the tables whose rows differ between two databases; with_views: and of the views.

    Definitions are compared first. Views of equal definitions on equal tables give equal rows, unless they depend on
    the order of rows: to ask them costs twenty times as much as the tables.
    """
    with opened(one) as a, opened(other) as b:
        assert defined(a) == defined(b)
        names = tables(a) + (views(a) if with_views else [])
        assert len(names) > (200 if with_views else 80)
        return [name for name in names if hashed(a, name) != hashed(b, name)]
