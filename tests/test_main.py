"""The verbs, as a user calls them."""

import os
import subprocess
import sys

import pytest

from pipeline import sources


def verb(*arguments, cwd=sources.ROOT):
    environment = os.environ | {"PYTHONPATH": str(sources.ROOT)}
    command = [sys.executable, "-m", "pipeline", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_help_lists_every_verb():
    run = verb("--help")
    assert run.returncode == 0
    for name in ("check", "ingest", "fit", "scenarios", "replay", "warehouse", "claims", "report", "query", "status",
                 "make-trace", "generate"):  # fmt: skip
        assert name in run.stdout


def test_check_says_what_a_drop_is_and_writes_nothing(tmp_path):
    run = verb("check", sources.ROOT / "traces" / "lublin_like", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "swf" in run.stdout
    assert "jobs: 1500 rows" in run.stdout
    assert list(tmp_path.iterdir()) == []


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


def test_a_wrong_kind_of_trace_is_one_sentence(tmp_path):
    run = verb("make-trace", "sfw", tmp_path / "x")
    assert run.returncode == 2
    assert "known: memory_samples, swf" in run.stderr
    assert "Traceback" not in run.stderr


def test_a_query_without_a_database_is_one_sentence(tmp_path):
    run = verb("query", "SELECT 1", cwd=tmp_path)
    assert run.returncode == 2
    assert "run `make` first" in run.stderr
    assert "Traceback" not in run.stderr
