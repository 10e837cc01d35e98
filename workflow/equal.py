"""Compare the tables of two databases value by value: `make equal WITH=../before/results/apportion.duckdb`.

Durations and versions are left out, as is what a change removes by name: a table or a column that only the older one
has is said and passes, and so do its rows whose text matches a pattern that is given (`GONE="fitted emmy_nodes"`).
"""

import argparse
import sys
from pathlib import Path

import duckdb

NEW = Path("results/apportion.duckdb")
LEFT_OUT = {"measured_gpu_partition", "loaded", "scenario.code_version"}
"""Measured durations, hashes of whole tables, and versions of the code."""
VERSIONS = "version.%"
"""Settings that are versions."""


def columns(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, dict[str, str]]:
    """Types of the columns of each table."""
    found: dict[str, dict[str, str]] = {}
    query = "SELECT table_name, column_name, data_type FROM duckdb_columns() JOIN duckdb_tables() "
    query += "USING (database_name, table_name) WHERE database_name = ? ORDER BY ALL"
    for table, column, kind in connection.execute(query, [database]).fetchall():
        if not LEFT_OUT & {table, f"{table}.{column}"}:
            found.setdefault(table, {})[column] = kind
    return found


def rows(database: str, table: str, of: dict[str, str], gone: list[str]) -> str:
    """A query of a table's rows, without those that name something that is gone."""
    texts = [f"coalesce(\"{name}\", '')" for name, kind in of.items() if kind == "VARCHAR"]
    left_out = [f"contains({text}, '{word}')" for text in texts for word in gone]
    left_out += [f"key LIKE '{VERSIONS}'"] if table == "setting" else []
    listed = ", ".join(f'"{name}"' for name in of)
    return f"SELECT {listed} FROM {database}.{table} WHERE NOT ({' OR '.join(left_out) or 'false'})"


def main() -> int:
    """Exit code: 0 where all rows that both have are equal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("older", type=Path, help="database of the run before the change")
    parser.add_argument("newer", type=Path, nargs="?", default=NEW, help=f"of the run after it; default {NEW}")
    parser.add_argument("--gone", nargs="*", default=[], help="rows of the older one with such a text are left out")
    options = parser.parse_args()
    connection = duckdb.connect()
    for name in ("older", "newer"):
        connection.execute(f"ATTACH '{getattr(options, name)}' AS {name} (READ_ONLY)")
    older, newer = columns(connection, "older"), columns(connection, "newer")
    for table in sorted(older.keys() ^ newer.keys()):
        sys.stdout.write(f"{table}: only in the {'older' if table in older else 'newer'}\n")
    differing = 0
    for table in sorted(older.keys() & newer.keys()):
        both = {name: kind for name, kind in older[table].items() if newer[table].get(name) == kind}
        for name in sorted(older[table].keys() ^ newer[table].keys()):
            sys.stdout.write(f"{table}.{name}: only in the {'older' if name in older[table] else 'newer'}\n")
        for name in sorted(older[table].keys() & newer[table].keys() - both.keys()):
            sys.stdout.write(f"{table}.{name}: {older[table][name]} became {newer[table][name]}\n")
            differing += 1
        before, after = rows("older", table, both, options.gone), rows("newer", table, both, [])
        lost, more = (
            connection.execute(f"SELECT count(*), any_value(t) FROM ({a} EXCEPT ALL {b}) t").fetchone()
            for a, b in ((before, after), (after, before))
        )
        if lost[0] or more[0]:
            differing += 1
            sys.stdout.write(f"{table}: {lost[0]:,} rows of the older are not in the newer, {more[0]:,} are new\n")
            for what, (_, row) in (("older", lost), ("newer", more)):
                sys.stdout.write(f"    {what}: {row}\n" if row else "")
    sys.stdout.write(f"{len(older.keys() & newer.keys())} tables in both, {differing} differences\n")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
