"""Documented queries: found as they are written, run on a small database, and shown with the columns they give."""

import re

import duckdb
import pytest
from typer.testing import CliRunner

from pipeline.__main__ import app
from pipeline.reference import documented_output
from pipeline.runtime import sources
from pipeline.warehouse import load

DOCUMENT = """# A page

```
$ make          # not a query
$ apportion query "SELECT 'a' AS letter,
    1 AS number"
stale
$ make status
kept
```

```sql
SELECT unnest(range(20)) AS number ORDER BY ALL
```

Between.

```sql
SELECT 2 AS two
```

```text
stale
```

<!-- output of another run: somebody's log -->
```
$ apportion query "FROM no_such_table"
kept
```

```yaml
$ apportion query "not a command"
```
"""


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "some.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE nothing AS SELECT 1 AS one")
    return path


def test_queries_are_found_where_they_are_asked_of_the_default_run():
    result = documented_output.queries(DOCUMENT)
    assert [(query.sql, query.output) for query in result] == [
        ("SELECT 'a' AS letter,\n    1 AS number", ("stale",)),
        ("SELECT unnest(range(20)) AS number ORDER BY ALL", ()),
        ("SELECT 2 AS two", ("stale",)),
    ]
    lines = DOCUMENT.splitlines()
    assert [lines[query.line - 1][:8] for query in result] == ["$ apport", "```sql", "```sql"]


def test_output_is_what_the_command_prints_and_the_rest_stays(database):
    text = documented_output.refreshed(DOCUMENT, lambda query: query.asked(database))
    table = load.answer(database, "SELECT 'a' AS letter, 1 AS number")
    assert f'1 AS number"\n{table}\n$ make status\nkept\n```' in text
    first = load.answer(database, "SELECT unnest(range(20)) AS number", documented_output.ROWS)
    assert first.endswith("\n20 rows")
    assert f"ORDER BY ALL\n```\n\n```text\n{first}\n```\n\nBetween." in text
    assert "stale" not in text
    assert 'FROM no_such_table"\nkept\n' in text
    # Once more changes nothing.
    assert documented_output.refreshed(text, lambda query: query.asked(database)) == text


def test_a_check_says_what_would_change_and_writes_nothing(database, tmp_path):
    (tmp_path / "docs").mkdir()
    page = tmp_path / "docs" / "page.md"
    page.write_text(DOCUMENT)
    diff = documented_output.refresh(database, check=True, root=tmp_path)
    assert "--- docs/page.md" in diff
    assert page.read_text() == DOCUMENT
    assert documented_output.refresh(database, root=tmp_path) == diff
    assert documented_output.refresh(database, check=True, root=tmp_path) == ""


def test_a_picture_has_the_title_of_its_figure():
    text = "Before.\n\n![stale](images/one.two.svg)\n\n*Something\nstale*\n\n![kept](images/concept.svg)\n"
    shown = documented_output.pictures(text, {"one/two": "Four is enough"}.__getitem__)
    assert shown == (
        "Before.\n\n![Four is enough](images/one.two.svg)\n\n*Four is enough*\n\n![kept](images/concept.svg)\n"
    )


def test_a_picture_of_no_figure_is_named(database, tmp_path):
    (tmp_path / "README.md").write_text("![x](docs/images/one.two.svg)\n\n*x*\n")
    with pytest.raises(ValueError, match=r"README\.md, there is no figure 'one/two'"):
        documented_output.refresh(database, root=tmp_path)


def test_a_query_that_cannot_be_answered_is_named(database, tmp_path):
    (tmp_path / "README.md").write_text("# Page\n\n```sql\nSELECT no_such_column FROM nothing\n```\n")
    with pytest.raises(ValueError, match=r"README\.md, line 3: .*no_such_column"):
        documented_output.refresh(database, root=tmp_path)


def test_the_verb_asks_for_a_database_that_is_there(tmp_path):
    result = CliRunner().invoke(app, ["generate", "--check", "--outputs", str(tmp_path / "absent.duckdb")])
    assert isinstance(result.exception, FileNotFoundError)


def test_every_document_is_looked_at():
    names = {path.relative_to(sources.ROOT).as_posix() for path in documented_output.documents()}
    assert {"README.md", "docs/guides/cookbook.md", "docs/guides/capacity.md", "docs/models/hpc_memory.md"} <= names


def test_shown_columns_are_not_cut():
    for path in documented_output.documents():
        for query in documented_output.queries(path.read_text(encoding="utf-8")):
            assert not re.search(r"┆ … ┆", query.output[1] if len(query.output) > 1 else ""), (path.name, query.line)
