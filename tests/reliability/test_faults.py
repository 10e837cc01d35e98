"""The trial of faults in small: a handful of kills in one run, and the faults that are met before the first job."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reliability import kills, runs, single_faults
from reliability.trials import faults


@pytest.fixture(scope="session")
def second(once, first) -> runs.Project:
    """A project whose results are those of the second version, after the first; tests read it."""

    def make(folder: Path) -> None:
        project = first.copied(folder / "project")
        project.become("second")
        project.run()

    return runs.Project(once("second", make) / "project")


@pytest.fixture
def project(second, tmp_path) -> runs.Project:
    """A copy with the results of the second version."""
    return second.copied(tmp_path / "project")


@pytest.mark.workflow
def test_a_run_that_is_killed_in_each_stage_ends_with_the_bytes_of_one_that_is_not(project, first):
    files, tables, rows = first.files(), first.tables(), first.rows()
    assert {name for name, digest in project.files().items() if files.get(name) != digest}
    reader = runs.Reader(project, [rows, project.rows()])
    reader.start()
    project.become("first")
    result = kills.Kills()
    seconds = project.seconds()
    kills.disturb(project, len(seconds), random.Random(1), seconds, result, each=True)
    reader.end()
    assert result.refusals == []
    # A job may end before its moment.
    assert len({verb for verb, _ in result.hits}) >= len(seconds) - 1 > 2
    assert project.files() == files
    assert project.tables() == tables
    assert reader.reads > 10
    assert reader.failures == []


@pytest.mark.workflow
@pytest.mark.parametrize("fault", single_faults.FAULTS[0][:4], ids=lambda fault: fault.__name__)
def test_a_run_that_cannot_be_is_refused_with_a_sentence(project, fault):
    before = project.files()
    # Where there is nothing to be done a run has nothing to be refused for.
    project.become("first")
    assert fault(project)
    assert project.files() == before


def test_jobs_are_found_by_what_they_run_and_where(tmp_path):
    project = runs.Project.__new__(runs.Project)
    project.folder = tmp_path.resolve()
    package = tmp_path / "pipeline"
    package.mkdir()
    (package / "__main__.py").write_text("import time\ntime.sleep(3600)\n")
    job = subprocess.Popen([sys.executable, "-m", "pipeline", "ingest"], cwd=tmp_path)
    elsewhere = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], cwd=tmp_path)
    while not project.jobs():
        time.sleep(0.05)
    assert project.jobs() == {job.pid: "ingest"}
    for process in (job, elsewhere):
        process.kill()
        process.wait()
    assert project.jobs() == {}


class Torn:
    """A database that is sometimes absent and once half there."""

    def __init__(self):
        self.answers = iter([{"job": 2}, FileNotFoundError("gone"), {"job": 1}])

    def rows(self):
        answer = next(self.answers, {"job": 2})
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_the_reader_notices_a_database_that_is_not_there_or_not_whole():
    reader = runs.Reader(Torn(), [{"job": 2}])
    reader.start()
    while len(reader.failures) < 2:
        time.sleep(0.05)
    reader.end()
    assert reader.failures == ["gone", "rows of no version: {'job': 1}"]


def test_kills_are_counted_by_what_ran():
    result = kills.Kills([("ingest", "both"), ("fit", "a job"), ("ingest", "both")])
    assert faults._by_verb(result) == [("fit", "1", "a job: 1"), ("ingest", "2", "both: 2")]


def test_every_fault_says_what_it_is():
    assert all(fault.__doc__ and "\n" not in fault.__doc__ for group in single_faults.FAULTS for fault in group)


class Undisturbed:
    """A project whose results depend on the version alone, but for one file after a kill if told so."""

    folder = Path("/somewhere")

    def __init__(self, *, damaged=False):
        self.version, self.damaged, self.killed = "first", damaged, False

    def become(self, version):
        self.version = version

    def run(self, *arguments, check=True):
        return 0, ""

    def files(self):
        return {"a.parquet": f"{self.version} cut" if self.damaged and self.killed else self.version}

    def tables(self):
        return {"job": self.version}

    def rows(self):
        return {"job": 1}

    def seconds(self):
        return {"ingest": 1.0}


@pytest.mark.parametrize("damaged", [False, True])
@pytest.mark.parametrize("met", [True, False])
def test_the_trial_passes_where_nothing_differs_and_every_fault_is_met(monkeypatch, damaged, met):
    def disturb(project, times, chance, seconds, kill_counts, end_s):
        kill_counts.hits += [("ingest", "both")] * times
        project.killed = True

    def fault(project):
        """A fault"""
        if not met:
            raise single_faults.UnexpectedError("a traceback")
        return f"12:00:00 said of {project.folder}/results"

    monkeypatch.setattr(kills, "disturb", disturb)
    monkeypatch.setattr(single_faults, "FAULTS", ((fault,),))
    options = faults.argparse.Namespace(times=30, seed=1, minutes=1)
    report = faults._run(Undisturbed(damaged=damaged), options)
    assert report.passed == (met and not damaged)
    figures = {finding.figure: finding.value for finding in report.findings}
    # Two series of kills and one group of faults.
    assert figures["kills"] == "30"
    assert figures["files that differ"] == f"{3 * damaged} of 3"
    assert figures["tables that differ"] == "0 of 3"
    assert report.details[1].rows[0][:2] == ("A fault", "said of results" if met else "**a traceback**")
