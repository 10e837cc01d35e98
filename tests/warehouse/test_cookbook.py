"""The documentation's queries run on another database than that whose output is shown, and give the columns shown."""

import duckdb
import pytest

from pipeline.reference import documented_output

ASKED = [
    pytest.param(query, id=f"{path.stem}:{query.line}")
    for path in documented_output.documents()
    for query in documented_output.queries(path.read_text(encoding="utf-8"))
]
COOKBOOK = [parameter for parameter in ASKED if parameter.id.startswith("cookbook:")]


def test_the_cookbook_has_queries():
    assert len(COOKBOOK) >= 30


@pytest.mark.parametrize("query", COOKBOOK)
def test_the_cookbook_s_query_answers(small_database, query):
    with duckdb.connect(str(small_database), read_only=True) as connection:
        assert connection.execute(query.sql).fetchall() != []


@pytest.mark.parametrize("query", ASKED)
def test_the_output_shown_has_the_query_s_columns(small_database, query):
    with duckdb.connect(str(small_database), read_only=True) as connection:
        columns = [row[0] for row in connection.execute(f"DESCRIBE {query.sql}").fetchall()]
    shown = [name.strip() for name in query.output[1].strip("│").split("┆")]
    assert shown == columns
    # At least one row: what is shown is an answer.
    assert len(query.output) > 4
