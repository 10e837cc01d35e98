"""The pages on adding a scheduler and a study, followed literally in a copy of the package."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from documented import DOCS, blocks, commands, write_files

from pipeline.runtime.sources import ROOT

OWN = ROOT / "tests" / "studies"


def follow(page: Path, folder: Path) -> list[str]:
    """Write the page's files into a copy of the package, run its commands there; what they print."""
    shutil.copytree(ROOT / "pipeline", folder / "pipeline", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, folder)
    write_files(page, folder)
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | {"PYTHONPATH": str(folder)}
    printed = []
    for command in commands(page):
        words = [sys.executable, "-m", "pipeline", *shlex.split(command.line)[1:]]
        run = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stderr
        assert run.stdout.rstrip() == command.output
        printed.append(run.stdout)
    return printed


@pytest.mark.exhaustive
def test_the_schedulers_of_the_page_are_found_replayed_and_in_the_results(tmp_path):
    printed = follow(DOCS / "guides" / "add-a-scheduler.md", tmp_path)
    assert "least_left" in printed[-1]
    assert "max_min_fair" in printed[-1]


def test_the_rule_of_the_page_is_the_one_that_is_tested():
    page = DOCS / "guides" / "add-a-scheduler.md"
    (shown,) = [block.text for block in blocks(page) if "max_min_fair" in (block.title or "")]
    assert shown == (OWN / "hpc_memory" / "own" / "max_min_fair.py").read_text()


@pytest.mark.exhaustive
def test_the_study_of_the_page_goes_from_configuration_to_ledger_and_page_without_another_edit(tmp_path):
    page = DOCS / "guides" / "add-a-study.md"
    folders = {Path(block.title).parts[:3] for block in blocks(page) if block.title and block.language != "json"}
    assert folders == {("pipeline", "studies", "one_server")}
    follow(page, tmp_path)
    html = (tmp_path / "tiny" / "index.html").read_text(encoding="utf-8")
    assert "Jobs of one server" in html
    assert "The rule to use has the least mean response time." in html
    assert (tmp_path / "tiny" / "figures" / "one_server" / "response.svg").is_file()
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | {"PYTHONPATH": str(tmp_path)}
    asked = (
        "from pipeline import config; from pipeline.reference import database, parquet; "
        "print(config.schema_yaml(), config.reference_markdown(), database.page_markdown('one_server'))"
    )
    run = subprocess.run([sys.executable, "-c", asked], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    for said in ("work over time between arrivals", "### outcome_one_server", "### recommended_one_server"):
        assert said in run.stdout, said


@pytest.mark.parametrize("file", sorted(OWN.glob("*/own/*.py")), ids=lambda file: file.stem)
def test_an_own_scheduler_is_one_file_of_at_most_forty_lines(file):
    assert len(file.read_text().splitlines()) <= 40
