"""The default run ends well, and README, documentation and ledger show what it gives."""

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import projects
import pytest

from pipeline.claims import record
from pipeline.reference import documented_output
from pipeline.report import answers
from pipeline.runtime.sources import ROOT

pytestmark = [pytest.mark.workflow, pytest.mark.slow, pytest.mark.exhaustive]


@pytest.fixture(scope="module")
def database(once):
    """The database of the default run, in a copy of the project."""

    def make(folder):
        projects.copy(folder)
        subprocess.run([Path(sys.executable).with_name("snakemake"), "--cores", "2"], cwd=folder, check=True)

    return once("default", make) / "results" / "apportion.duckdb"


def test_the_documentation_shows_what_the_default_run_gives(database):
    changed = documented_output.refresh(database, check=True, root=ROOT)
    assert not changed, f"`apportion generate --outputs results/apportion.duckdb` after `make` would write:\n{changed}"


def test_the_recorded_ledger_is_that_of_the_default_run(database, tmp_path):
    record.write(database, tmp_path / "claims.csv")
    assert (tmp_path / "claims.csv").read_text() == record.FILE.read_text(), record.RENEWED_BY


def test_no_drop_that_ships_fails(database):
    with duckdb.connect(str(database), read_only=True) as connection:
        assert connection.execute("FROM failure").fetchall() == []


@pytest.mark.parametrize("drop", ["kth_sp2", "prim_upmem"])
def test_one_process_answers_what_the_default_run_answers(database, drop, tmp_path):
    command = [sys.executable, "-m", "pipeline", "answer", str(ROOT / "traces" / drop), "--format", "json"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    said = subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True).stdout
    ours, theirs = json.loads(said), json.loads(answers.text(database, [drop], "json"))
    assert len(ours) == len(theirs) > 0
    for one, other in zip(ours, theirs, strict=True):
        for name in one.keys() - {"place"}:  # among more traces
            # Views sum floats in another order among more rows.
            exact = not isinstance(one[name], float)
            assert one[name] == (other[name] if exact else pytest.approx(other[name], rel=1e-9, abs=1e-12)), name
    assert not list(tmp_path.iterdir())
