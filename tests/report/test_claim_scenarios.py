"""The scenarios that a claim names are those that it rests on: without all others its query gives the same rows."""

import math

import duckdb
import pytest

from pipeline.claims import evaluate
from pipeline.warehouse import load


def _rows(connection, sql: str) -> dict[tuple, object]:
    cursor = connection.execute(sql)
    names = [column[0] for column in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return {(row["setting"], row.get("part"), row["replicate"]): row["value"] for row in rows}


@pytest.fixture(scope="module")
def restricted(hostile_database):
    """The database, its tables cut down to the scenarios of the table `kept`."""
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH '{hostile_database}' AS whole (READ_ONLY)")
        connection.execute("SET threads = 1")
        connection.execute("CREATE TABLE kept (scenario_id VARCHAR)")
        columns = connection.execute(
            "SELECT table_name, bool_or(column_name = 'scenario_id') FROM duckdb_columns() JOIN duckdb_tables() "
            "USING (database_name, table_name) WHERE database_name = 'whole' GROUP BY ALL"
        ).fetchall()
        for name, of_scenarios in columns:
            only = "WHERE scenario_id IN (FROM kept)" if of_scenarios else ""
            connection.execute(f'CREATE VIEW "{name}" AS FROM whole."{name}" {only}')
        load.create_views(connection, *load.VIEWS, *load.MACROS)
        yield connection


CLAIMS = [path for path in evaluate.files() if evaluate.read(path)[0].scenarios]


@pytest.mark.parametrize("path", CLAIMS, ids=lambda path: path.stem)
def test_a_claim_rests_on_the_scenarios_that_it_names(restricted, hostile_database, path):
    header, sql = evaluate.read(path)
    with evaluate.opened(hostile_database) as whole:
        expected = _rows(whole, sql)
        scenario_ids = whole.sql(header.scenarios_sql).to_arrow_table()
    restricted.execute("DELETE FROM kept")
    restricted.register("named", scenario_ids)
    restricted.execute("INSERT INTO kept FROM named")
    result = _rows(restricted, sql)
    # Settings that are only known by scenarios of other schedulers repeat the default's rows; they may be missing.
    assert set(result) <= set(expected)
    assert {key for key in expected if key[0] in (evaluate.DEFAULT, *header.pooled)} <= set(result)
    for key, value in result.items():
        assert value == expected[key] or math.isclose(value, expected[key], rel_tol=1e-9), key


def test_most_claims_have_something_to_rest_on(hostile_database):
    with evaluate.opened(hostile_database) as whole:
        empty = [
            path.stem
            for path in CLAIMS
            if whole.execute(f"SELECT count(*) FROM ({evaluate.read(path)[0].scenarios_sql})").fetchall() == [(0,)]
        ]
    assert len(empty) < len(CLAIMS) / 3, empty
