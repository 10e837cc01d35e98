"""The verbs, as a user calls them."""

import csv
import io
import json
import os
import subprocess
import sys

import duckdb
import examples
import pytest

from pipeline.runtime import sources
from pipeline.warehouse.answer import answer


def verb(*arguments, cwd=sources.ROOT):
    environment = os.environ | {"PYTHONPATH": str(sources.ROOT)}
    command = [sys.executable, "-m", "pipeline", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_help_lists_every_verb():
    run = verb("--help")
    assert run.returncode == 0
    for name in ("check", "ingest", "fit", "scenarios", "replay", "warehouse", "claims", "report", "query", "status",
                 "generate"):  # fmt: skip
        assert name in run.stdout


def test_without_a_verb_the_three_that_matter_are_shown():
    run = verb()
    assert run.returncode == 0
    *lines, empty, more = run.stdout.splitlines()
    assert [line.split()[1] for line in lines] == ["check", "answer", "open"]
    assert (empty, more) == ("", "apportion --help lists all commands.")
    listed = verb("--help").stdout
    assert all(f" {line.split()[1]} " in listed for line in lines)


@pytest.mark.slow
def test_check_says_what_a_drop_is_and_writes_nothing(tmp_path):
    run = verb("check", examples.trace("lublin_like"), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "swf" in run.stdout
    assert "jobs: 1500 rows" in run.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        ("1 0 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n2 0 0 -5 1 -1 -1 1 20 -1 1 1 1 1 1 1 -1 -1\n", 1, "runtime_s"),
        ("", 2, "file_empty"),
    ],
)
def test_check_ends_with_a_code_that_means_something(tmp_path, content, code, said):
    (tmp_path / "drop").mkdir()
    (tmp_path / "drop" / "log.swf").write_text(content)
    run = verb("check", tmp_path / "drop")
    assert run.returncode == code
    assert said in run.stdout


def test_a_query_without_a_database_is_one_sentence(tmp_path):
    run = verb("query", "SELECT 1", cwd=tmp_path)
    assert run.returncode == 2
    assert "run `make` first" in run.stderr
    assert "Traceback" not in run.stderr


@pytest.fixture
def database(tmp_path):
    """A database of one table with texts longer than a terminal's table shows."""
    path = tmp_path / "one.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i, repeat('x', 90) || i AS name, [i, NULL] AS list FROM range(300) r(i)"
        )
        connection.execute(
            "CREATE TABLE odd AS SELECT 'a,\"b\"\n≤' AS text, NULL AS nothing, true AS yes, 'nan'::DOUBLE AS nan"
        )
    return path


@pytest.mark.parametrize("arguments", [("query", "FROM t"), ("answer",), ("status",), ("claims",), ("report",)])
def test_a_damaged_database_is_one_sentence(database, tmp_path, arguments):
    content = database.read_bytes()
    database.write_bytes(content[:4096] + b"x" * 8192 + content[4096 + 8192 :])
    target = ("--target", tmp_path / "out") if arguments[0] == "report" else ()
    run = verb(*arguments, *target, "--database", database)
    assert run.returncode == 2
    assert "the database cannot be read or written; where it is damaged, the next run makes it anew: " in run.stderr
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize("name", ["answer", "status"])
def test_a_database_of_something_else_is_said_to_be_one(database, name):
    run = verb(name, "--database", database)
    assert run.returncode == 2
    assert f"{database} was made by another version of this project; run `make` again" in run.stderr


@pytest.mark.slow
def test_a_query_in_a_pipe_gives_all_rows_and_whole_texts(database):
    run = verb("query", "--database", database, "FROM t ORDER BY i")
    assert run.returncode == 0, run.stderr
    assert len([line for line in run.stdout.splitlines() if "xxx" in line]) == 300
    assert "x" * 90 + "299" in run.stdout
    assert "…" not in run.stdout


def test_a_query_in_a_terminal_is_cut_unless_asked_for_in_full(database):
    assert "…" in answer(database, "FROM t")
    assert "…" not in answer(database, "FROM t", full=True)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "json"])
def test_a_query_in_a_format_of_programs_keeps_every_value(database, tmp_path, form):
    (tmp_path / "question.sql").write_text("FROM t ORDER BY i\n")
    run = verb("query", "--database", database, "--format", form, "--file", tmp_path / "question.sql")
    rows = list(csv.DictReader(io.StringIO(run.stdout))) if form == "csv" else json.loads(run.stdout)
    assert [int(row["i"]) for row in rows] == list(range(300))
    assert {row["name"] for row in rows} == {"x" * 90 + str(i) for i in range(300)}
    assert rows[7]["list"] == ("[7, null]" if form == "csv" else [7, None])
    run = verb("query", "--database", database, "--format", form, "FROM odd")
    (row,) = csv.DictReader(io.StringIO(run.stdout)) if form == "csv" else json.loads(run.stdout)
    nothing, yes, nan = ("", "true", "nan") if form == "csv" else (None, True, None)
    assert row == {"text": 'a,"b"\n≤', "nothing": nothing, "yes": yes, "nan": nan}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give the SQL, or --file"),
        (("SELECT 1", "--file", "x.sql"), "give the SQL, or --file"),
        (("SELECT 1", "--format", "xml"), "'xml' is not a format; known formats:"),
        (("--file", "absent.sql"), "No such file or directory: 'absent.sql'"),
    ],
)
def test_a_query_that_is_none_is_one_sentence(database, arguments, said):
    run = verb("query", "--database", database, *arguments)
    assert run.returncode == 2
    assert said in run.stderr
    assert "Traceback" not in run.stderr


def test_output_that_the_encoding_does_not_have_is_replaced(database):
    environment = os.environ | {"PYTHONPATH": str(sources.ROOT), "PYTHONIOENCODING": "latin-1"}
    command = [sys.executable, "-m", "pipeline", "query", "--database", str(database), "--format", "csv", "FROM odd"]
    run = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert (run.returncode, run.stderr) == (0, b"")
    assert b"?" in run.stdout


def test_an_interrupted_verb_says_so_in_one_sentence():
    code = (
        "import os, signal, sys\n"
        "from unittest import mock\n"
        "from pipeline import __main__ as verbs\n"
        "with mock.patch.object(verbs, 'app', lambda: os.kill(os.getpid(), signal.SIGINT)):\n    verbs.main()\n"
    )
    environment = os.environ | {"PYTHONPATH": str(sources.ROOT)}
    run = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 130
    assert run.stderr.startswith("interrupted; ")
    assert len(run.stderr.splitlines()) == 1
