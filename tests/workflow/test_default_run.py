"""The default run ends well, and README, documentation and ledger show what it gives."""

import json

import pytest
from project_copy import ROOT, Project

from pipeline.claims import record
from pipeline.reference import documented_output
from pipeline.report import answers
from pipeline.stages import one_file

pytestmark = [pytest.mark.workflow, pytest.mark.slow]


@pytest.fixture(scope="module")
def database(once):
    """The database of the default run, in a copy of the project."""

    def make(folder):
        project = Project(folder)
        project.create()
        project.snakemake(settings=())

    return once("default", make) / "results" / "apportion.duckdb"


def test_the_documentation_shows_what_the_default_run_gives(database):
    changed = documented_output.refresh(database, check=True, root=ROOT)
    assert not changed, f"`apportion generate --outputs results/apportion.duckdb` after `make` would write:\n{changed}"


def test_the_recorded_ledger_is_that_of_the_default_run(database, tmp_path):
    record.write(database, tmp_path / "claims.csv")
    assert (tmp_path / "claims.csv").read_text() == record.FILE.read_text(), record.RENEWED_BY


@pytest.mark.parametrize("drop", ["kth_sp2", "prim_upmem"])
def test_one_process_answers_what_the_default_run_answers(database, drop, tmp_path):
    one_file.build(ROOT / "traces" / drop, tmp_path / "results")
    alone = tmp_path / "results" / one_file.DATABASE
    ours, theirs = (json.loads(answers.text(each, [drop], "json")) for each in (alone, database))
    for row in (*ours, *theirs):
        row.pop("place")  # among more traces
    assert ours == theirs != []
