"""What happens to a machine in the middle of a run: kills, a full disk, results that cannot be written, odd clocks."""

import contextlib
import os
import signal
import subprocess
import threading
import time

import duckdb
import pytest

pytestmark = pytest.mark.workflow

STAGES = {"ingest", "replay-part", "fidelity", "warehouse", "report"}
WITH_THE_WHOLE_RUN = "replay-part"
DAY_S = 86_400


class Reader(threading.Thread):
    """Opens the database again and again: it has to be there, and whole, at any moment."""

    def __init__(self, project, rows):
        super().__init__(daemon=True)
        self.project, self.rows = project, rows
        self.reads, self.failures, self.ended = 0, [], threading.Event()

    def run(self):
        while not self.ended.wait(0.5):
            self.reads += 1
            try:
                found = rows(self.project)
            except (duckdb.Error, OSError) as error:
                self.failures.append(str(error))
            else:
                if found != self.rows:
                    self.failures.append(f"other rows: {found}")


def rows(project):
    """Number of rows of each table."""
    with project.database() as connection:
        names = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone() for name in names}


def test_one_core_and_a_kill_in_each_stage_give_the_bytes_of_two_cores_undisturbed(tiny, own_project):
    """With a replay the whole run is killed, else a job alone; the database answers throughout."""
    files, tables = tiny.files(), tiny.tables()
    for path in own_project.results.iterdir():
        if path.name not in ("apportion.duckdb", "report"):
            subprocess.run(["rm", "-r", path], check=True)
    reader = Reader(own_project, rows(tiny))
    reader.start()
    killed, said = set(), own_project.folder / "again.txt"
    with said.open("w") as file:
        process = own_project.begin("--retries", "3", cores=1, stdout=file)
        while process.poll() is None:
            for job, verb in own_project.jobs().items():
                if verb in killed or verb not in STAGES:
                    continue
                killed.add(verb)
                if verb == WITH_THE_WHOLE_RUN:
                    os.killpg(process.pid, signal.SIGKILL)
                    process.wait()
                    process = own_project.begin("--retries", "3", cores=1, stdout=file)
                    break
                with contextlib.suppress(ProcessLookupError):
                    os.kill(job, signal.SIGKILL)
            time.sleep(0.02)
    reader.ended.set()
    reader.join()
    assert process.returncode == 0, said.read_text()
    assert killed == STAGES
    assert len(files) > 50
    assert own_project.files() == files
    assert own_project.tables() == tables
    assert reader.reads > 10
    assert reader.failures == []


@contextlib.contextmanager
def mounted(folder, *arguments):
    """Something mounted over a folder; skips where only root may."""
    done = subprocess.run(["mount", *arguments, str(folder)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"nothing can be mounted: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@contextlib.contextmanager
def full_disk(project):
    with mounted(project.results, "-t", "tmpfs", "-o", "size=1m", "tmpfs"):
        (project.results / "filling").write_bytes(bytes(512 << 10))
        yield


@contextlib.contextmanager
def read_only_results(project):
    with mounted(project.results, "--bind", str(project.results)):
        subprocess.run(["mount", "-o", "remount,ro,bind", str(project.results)], check=True)
        yield


@contextlib.contextmanager
def results_that_are_a_file(project):
    kept = project.results.rename(project.folder / "kept")
    project.results.write_text("")
    yield
    project.results.unlink()
    kept.rename(project.results)


@contextlib.contextmanager
def code_from_the_future(project):
    path = project.folder / "pipeline" / "stages" / "ingest.py"
    os.utime(path, (time.time() + DAY_S,) * 2)
    yield
    os.utime(path)


SAID = {
    full_disk: ("nothing can be written to",),
    read_only_results: ("nothing can be written to", "Write-protected output files"),
    results_that_are_a_file: ("results is a file and has to be a folder",),
    code_from_the_future: ("is dated in the future",),
}
"""Sentences, our own or Snakemake's."""


def test_a_run_that_cannot_be_is_refused_with_a_sentence(own_project):
    # Where there is nothing to be done a run has nothing to be refused for.
    tasks = own_project.drops / "automotive_like" / "tasks.csv"
    tasks.write_text(tasks.read_text().rstrip("\n").rpartition("\n")[0] + "\n")
    before = own_project.files()
    for fault, sentences in SAID.items():
        with fault(own_project):
            run = own_project.run(check=False)
        assert run.returncode != 0, fault.__name__
        assert any(sentence in run.stdout for sentence in sentences), run.stdout
        assert "Traceback" not in run.stdout
        assert own_project.files() == before
