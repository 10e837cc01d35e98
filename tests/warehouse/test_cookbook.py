"""The cookbook's queries run, and answer."""

import re

import duckdb
import pytest

from pipeline import sources

TEXT = (sources.ROOT / "docs" / "cookbook.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", TEXT, flags=re.DOTALL)


def test_the_cookbook_has_queries():
    assert len(QUERIES) >= 12


@pytest.mark.parametrize("sql", QUERIES, ids=[f"query{i + 1}" for i in range(len(QUERIES))])
def test_the_query_answers(small_database, sql):
    with duckdb.connect(str(small_database), read_only=True) as connection:
        assert connection.execute(sql).fetchall() != []
