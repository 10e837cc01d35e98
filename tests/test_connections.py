"""What a verb prints is its own: a query that takes seconds puts no bar of DuckDB's into it."""

from pipeline.runtime.database import connect
from pipeline.runtime.sources import PACKAGE


def test_connections_and_their_cursors_draw_no_bar():
    with connect() as connection:
        for each in (connection, connection.cursor()):
            assert each.execute("SELECT current_setting('enable_progress_bar')").fetchall() == [(False,)]


def test_nobody_connects_in_another_way():
    names = [path.name for path in PACKAGE.rglob("*.py") if "duckdb.connect(" in path.read_text(encoding="utf-8")]
    assert names == ["database.py"]
