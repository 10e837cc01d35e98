"""docs/guides/probe.md: its commands run where they need no GPU, its queries have the columns that it shows."""

import re
import shlex
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

import pipeline.__main__
import probe.__main__
from pipeline.reference import documented_output
from pipeline.runtime.sources import ROOT
from probe.card import RealCard

PAGE = ROOT / "docs" / "guides" / "probe.md"
VERBS = {"probe": probe.__main__.app, "apportion": pipeline.__main__.app}


def documented(text: str) -> list[tuple[str, str]]:
    """Commands of the console blocks and what is shown below each."""
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    parts = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    return [(line, output.rstrip()) for line, _, output in (part.partition("\n") for part in parts)]


def test_what_needs_no_gpu_runs_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    commands = documented(PAGE.read_text(encoding="utf-8"))
    assert [line.split()[0] for line, _ in commands] == ["python", "apportion"]
    for line, shown in commands:
        package, *words = shlex.split(line.replace("python -m probe", "probe"))
        result = CliRunner().invoke(VERBS[package], words)
        assert (result.exit_code, result.stdout.rstrip()) == (0, shown)


def test_the_two_commands_build_and_run_the_same_program():
    text = PAGE.read_text(encoding="utf-8")
    first, second = re.search(r"^```\n\$ (.*)\n\$ (.*)\n```$", text, re.MULTILINE).groups()
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert first == "make probe"
    assert "\nprobe: $(INSTALLED) build/probe\n" in makefile
    assert ROOT / "build" / "probe" == probe.__main__.PROGRAM
    # Where nothing was built, the second says what to do first.
    with pytest.raises(FileNotFoundError, match="`make probe` builds it"):
        RealCard(Path("build") / "no_such_program")
    assert second == ".venv/bin/python -m probe traces/my_card_probe"


QUERIES = re.findall(r'^\$ apportion query "(.*?)"\n(┌.*?)^```$', PAGE.read_text(encoding="utf-8"), re.M | re.S)


def test_every_query_is_of_another_run_than_the_default_one():
    text = PAGE.read_text(encoding="utf-8")
    assert len(QUERIES) == text.count("output of another run: a simulated card") > 4
    assert documented_output.queries(text) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(("sql", "shown"), QUERIES, ids=range(len(QUERIES)))
def test_queries_of_the_page_answer_with_its_columns(card_database, sql, shown):
    with duckdb.connect(str(card_database), read_only=True) as connection:
        columns = [row[0] for row in connection.execute(f"DESCRIBE {sql}").fetchall()]
        assert connection.execute(sql).fetchall() != []
    assert [name.strip() for name in shown.splitlines()[1].strip("│").split("┆")] == columns
