"""Compare the tables of two databases value by value: `make equal WITH=../before/results/apportion.duckdb`.

Durations and versions are left out. Rows of scenarios are compared where both have the scenario; how many only one has
is said. What a change removes by name passes: a table or a column that only one has, and rows with a text that is given
(`GONE="fitted emmy_nodes"`).
"""

import argparse
import sys
from collections import defaultdict

import duckdb

LEFT_OUT = {"measured_gpu_partition", "loaded", "scenario.code_version"}
"""Measured durations, hashes of whole tables, and versions of the code."""


def columns(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, dict[str, str]]:
    """Types of the columns of each table."""
    found = defaultdict(dict)
    query = "SELECT table_name, column_name, data_type FROM duckdb_columns() JOIN duckdb_tables() "
    query += "USING (database_name, table_name) WHERE database_name = ? ORDER BY ALL"
    for table, column, kind in connection.execute(query, [database]).fetchall():
        if not LEFT_OUT & {table, f"{table}.{column}"}:
            found[table][column] = kind
    return found


def rows(database: str, table: str, of: dict[str, str], gone: list[str]) -> str:
    """A query of a table's rows, without those that name something that is gone."""
    texts = [f"coalesce(\"{name}\", '')" for name, kind in of.items() if kind == "VARCHAR"]
    left_out = [f"contains({text}, '{word}')" for text in texts for word in gone]
    left_out += ["key LIKE 'version.%'"] if table == "setting" else []
    left_out += ["scenario_id NOT IN (SELECT scenario_id FROM common)"] if "scenario_id" in of else []
    listed = ", ".join(f'"{name}"' for name in of)
    return f"SELECT {listed} FROM {database}.{table} WHERE NOT ({' OR '.join(left_out) or 'false'})"


def main() -> int:
    """Exit code: 0 where all rows that both have are equal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("older", help="database of the run before the change")
    parser.add_argument("newer", nargs="?", default="results/apportion.duckdb")
    parser.add_argument("--gone", nargs="*", default=[], help="rows with such a text are left out")
    options = parser.parse_args()
    connection = duckdb.connect()
    for name in ("older", "newer"):
        connection.execute(f"ATTACH '{getattr(options, name)}' AS {name} (READ_ONLY)")
    older, newer = columns(connection, "older"), columns(connection, "newer")
    connection.execute("CREATE TABLE common AS FROM older.scenario SEMI JOIN newer.scenario USING (scenario_id)")
    for name in ("older", "newer"):
        only = f"SELECT count(*) FROM {name}.scenario WHERE scenario_id NOT IN (SELECT scenario_id FROM common)"
        sys.stdout.write(f"{connection.execute(only).fetchone()[0]:,} scenarios only in the {name}\n")
    for table in sorted(older.keys() ^ newer.keys()):
        sys.stdout.write(f"{table}: only in the {'older' if table in older else 'newer'}\n")
    differing = 0
    for table in sorted(older.keys() & newer.keys()):
        both = {name: kind for name, kind in older[table].items() if newer[table].get(name) == kind}
        for name, kind in sorted(older[table].items() ^ newer[table].items()):
            where = "older" if older[table].get(name) == kind else "newer"
            sys.stdout.write(f"{table}.{name} {kind}: only in the {where}\n")
        before, after = (rows(name, table, both, options.gone) for name in ("older", "newer"))
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
