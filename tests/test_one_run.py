"""One run at a time, and no job that outlives its run."""

import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from pipeline.runtime import one_run
from pipeline.runtime.sources import ROOT
from workflow import start

RUN = """
import subprocess, sys, time
from pathlib import Path
from pipeline.runtime import one_run
one_run.hold(Path(sys.argv[1]))
job = subprocess.Popen([sys.executable, "-c", "import time; from pipeline.runtime import one_run;"
    " one_run.end_with_run(); print('ready', flush=True); time.sleep(3600)"])
print(job.pid, flush=True)
time.sleep(3600)
"""


@pytest.fixture
def lock(tmp_path, monkeypatch):
    yield tmp_path / "state" / "run.lock"
    os.environ.pop(one_run.VARIABLE, None)
    while one_run._held:
        os.close(one_run._held.pop())


def begun(lock):
    """A run in another process and the process of its job, once both are at work."""
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, str(lock)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    lines = sorted([run.stdout.readline().strip(), run.stdout.readline().strip()])
    assert lines[1] == "ready"
    return run, int(lines[0])


def gone(process, looks=10_000):
    for _ in range(looks):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_a_second_run_is_refused_and_says_who_is_first(lock):
    run, _ = begun(lock)
    assert one_run.held(lock)
    with pytest.raises(one_run.AnotherRunError, match=rf"another run .*\(process {run.pid} on"):
        one_run.hold(lock)
    run.kill()
    run.communicate()


@pytest.mark.slow
def test_a_killed_run_takes_its_jobs_along_and_leaves_no_lock(lock):
    run, job = begun(lock)
    os.kill(run.pid, signal.SIGKILL)
    run.communicate()
    assert gone(job)
    assert not one_run.held(lock)
    one_run.hold(lock)
    assert os.environ[one_run.VARIABLE].startswith(f"{os.uname().nodename} {os.getpid()} ")


def test_a_job_that_starts_after_its_run_ended_ends_too(lock):
    lock.parent.mkdir()
    lock.write_text("another run")
    environment = os.environ | {one_run.VARIABLE: f"{os.uname().nodename} 1 2 {lock}"}
    code = "from pipeline.runtime import one_run; import time; one_run.end_with_run(); time.sleep(3600)"
    job = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=False)
    assert job.returncode == one_run.ENDED


@pytest.mark.parametrize("given", ["", "another-machine 1 2 /nowhere"])
def test_a_process_that_no_run_of_this_machine_started_is_left_alone(given):
    code = (
        "from pipeline.runtime import one_run; import threading; one_run.end_with_run(); "
        "print(threading.active_count())"
    )
    environment = os.environ | {one_run.VARIABLE: given}
    job = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=True)
    assert job.stdout == b"1\n"


def test_files_from_the_future_are_named_with_what_dates_them(lock, tmp_path, monkeypatch):
    monkeypatch.setattr(one_run, "LOCK", lock)
    path = tmp_path / "model.py"
    path.touch()
    start.begin(tmp_path / "results", [path])
    os.close(one_run._held.pop())
    with pytest.raises(RuntimeError, match=f"touch {path}"):
        start.begin(tmp_path / "results", [path], now_s=path.stat().st_mtime - 60)
    assert list((tmp_path / "results").iterdir()) == []


def test_results_from_the_future_are_dated_now(lock, tmp_path, monkeypatch):
    monkeypatch.setattr(one_run, "LOCK", lock)
    results = tmp_path / "results"
    folder, file, old = results / "fit", results / "settings.json", results / "old.json"
    folder.mkdir(parents=True)
    for path in (folder / start.TIMESTAMP, file, old):
        path.touch()
    now_s = 1_000_000_000.0
    os.utime(old, (now_s - 5, now_s - 5))
    start.begin(results, [folder, file, old, results / "not there yet"], now_s=now_s)
    assert [path.stat().st_mtime - now_s for path in (folder / start.TIMESTAMP, file, old)] == [0, 0, -5]


def test_room_for_a_second_database_is_looked_for_before_a_run(tmp_path, monkeypatch):
    results = tmp_path / "results"
    results.mkdir()
    monkeypatch.setattr(start.one_run, "hold", lambda lock: None)
    monkeypatch.setattr(start.shutil, "disk_usage", lambda path: SimpleNamespace(free=5 << 20))
    start.begin(results, [])
    with (results / "apportion.duckdb").open("wb") as database:
        database.truncate(6 << 20)
    with pytest.raises(RuntimeError, match=r"5 MB are free at .*results, and a run needs 6 MB and more"):
        start.begin(results, [])
    monkeypatch.setattr(start.shutil, "disk_usage", lambda path: SimpleNamespace(free=7 << 20))
    start.begin(results, [])
