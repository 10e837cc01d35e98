"""Hostile drops through the verbs that read one: each ends in a sentence that names the drop, and in an exit code."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import hostile_drops
import polars as pl
import pytest

from pipeline import drops
from pipeline.drops import folders
from pipeline.readers import _recognise, jobs
from pipeline.runtime import bounded, failed, manifest
from pipeline.runtime.sources import ROOT
from pipeline.stages import ingest, one_drop, one_part

JOBS = "job_id,submit_s,nodes,runtime_s\n1,0,2,10\n"
BREAKS = {
    "an exception": "raise RecursionError('too deep')",
    "a panic": "import polars; raise polars.exceptions.PanicException('index out of bounds')",
    "a crash": "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)",
    "no end": "import time; time.sleep(600)",
    "too much memory": "x = bytearray(1 << 36)",
}
"""Python that is a reader with a fault."""
SAID = {
    "an exception": "RecursionError: too deep",
    "a panic": "PanicException: index out of bounds",
    "a crash": "crashed (SIGSEGV)",
    "no end": "more than 3 s",
    "too much memory": "more memory than it may take",
}
RUN = """\
import sys
from pathlib import Path
from pipeline.runtime.bounded import Bounds
from pipeline.stages import one_drop

def broken(*_):
    {fault}

def broken_reader(*_):
    from pipeline.readers import jobs
    jobs.read = broken

drop, target = Path(sys.argv[1]), Path(sys.argv[2])
from pipeline.readers import _recognise
identify = _recognise.identify
def identified(*given):
    broken_reader()
    return identify(*given)
_recognise.identify = identified
bounds = {{"recognition": Bounds(60, 4), "reading": Bounds({seconds}, 4)}}
text, code = one_drop.check(drop, full=True, write=False, **bounds)
assert code == 2, text
print(text)
one_drop.ingest(drop, target, [], **bounds)
"""


@pytest.fixture
def drop(tmp_path):
    folder = tmp_path / "traces" / "demo"
    folder.mkdir(parents=True)
    (folder / "jobs.csv").write_text(JOBS)
    yield folder
    # pytest cannot remove folders in folders that are so deep.
    subprocess.run(["rm", "-rf", *tmp_path.iterdir()], check=True)


@pytest.mark.parametrize("fault", BREAKS)
def test_a_reader_that_fails_in_any_way_refuses_its_drop(drop, tmp_path, fault):
    target = tmp_path / "ingest" / "demo"
    (drop / "jobs.csv").write_text(hostile_drops.LOG)
    (drop / "jobs.csv").rename(drop / "log.swf")
    code = RUN.format(fault=BREAKS[fault], seconds=3 if fault == "no end" else 100).replace(
        "readers import jobs\n    jobs.", "readers import swf\n    swf."
    )
    done = subprocess.run(
        [sys.executable, "-c", code, drop, target], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "demo: refused" in done.stdout
    assert SAID[fault] in done.stdout
    rejected = pl.read_parquet(target / "rejected_rows.parquet")
    assert rejected["reason"].to_list() == ["reader_failed"]
    assert SAID[fault] in rejected["detail"][0]
    assert pl.read_parquet(target / "traces.parquet")["status"].to_list() == ["refused"]


EACH = """\
import contextlib, io, json, logging, sys
from pathlib import Path
from pipeline.__main__ import main

verb, folder = sys.argv[1], Path(sys.argv[2])
for drop in sorted(folder.iterdir()):
    root = folder.parent / "roots" / drop.name
    root.mkdir(parents=True)
    sys.argv = ["apportion", verb, str(drop / "demo"), *(["--root", str(root)] if verb == "add" else [])]
    logging.getLogger().handlers.clear()
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
    print(json.dumps([drop.name, code, said.getvalue()]))
"""


@pytest.mark.parametrize("verb", ["check", pytest.param("add", marks=pytest.mark.exhaustive)])
def test_hostile_drops_end_in_a_sentence(tmp_path, verb):
    """`ingest` of all of them: tests/workflow/test_workflow.py."""
    for case, (make, _) in hostile_drops.CASES.items():
        (tmp_path / "cases" / case / "demo").mkdir(parents=True)
        make(tmp_path / "cases" / case / "demo")
    command = [sys.executable, "-c", EACH, verb, tmp_path / "cases"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    # pytest cannot remove folders in folders that are so deep.
    subprocess.run(["rm", "-rf", *tmp_path.iterdir()], check=True)
    assert done.returncode == 0, done.stderr
    ended = [json.loads(line) for line in done.stdout.splitlines()]
    assert {name: code for name, code, _ in ended} == {name: code for name, (_, code) in hostile_drops.CASES.items()}
    assert [name for name, _, said in ended if "demo" not in said or "Traceback" in said] == []


def test_a_drop_of_too_many_files_is_refused_without_a_walk(drop, monkeypatch):
    monkeypatch.setattr(folders, "MOST_FILES", 10)
    assert ingest.check(drop)[1] == 0
    (drop / "sub").mkdir()
    for number in range(9):
        (drop / "sub" / f"{number}.csv").touch()
    text, code = ingest.check(drop)
    assert code == 2
    assert "files_too_many, first demo: more than 10 files and folders" in text
    assert drops.size(drop) == 0
    assert drops.content(drop).startswith("files_too_many")


def test_a_file_that_becomes_a_link_while_it_is_read_leaves_nothing(drop, tmp_path, monkeypatch):
    secret = tmp_path / "secret.csv"
    secret.write_text(JOBS.replace("1,0,2,10", "9,0,2,10"))

    def swapped(*given, read=jobs.read):
        (drop / "jobs.csv").unlink()
        (drop / "jobs.csv").symlink_to(secret)
        return read(*given)

    monkeypatch.setattr(jobs, "read", swapped)
    with pytest.raises(OSError, match="changed while they were read"):
        ingest.ingest(drop, tmp_path / "ingest")
    assert not (tmp_path / "ingest").exists()


PARTS = {"too much memory": "x = bytearray(1 << 36)", "a crash": "import os; os.kill(os.getpid(), 11)"}
PART = """\
from pathlib import Path
from pipeline.runtime.bounded import Bounds
from pipeline.runtime import manifest
from pipeline.stages import one_part

written, missing = Path("written"), Path("missing")
def work():
    with manifest.replacing_folder(written) as folder:
        (folder / "a").touch()
    {fault}

for target in (written, missing):
    target.mkdir()
one_part.run(work, "replay", "pim_ranks", "trace-demo", [written, missing], Bounds(60, 4))
try:
    one_part.run(lambda: int("no number"), "replay", "pim_ranks", "synthetic", [], Bounds(60, 4))
except ValueError:
    print("raised")
"""


@pytest.mark.parametrize("fault", PARTS)
def test_a_step_of_a_study_that_ends_its_process_costs_its_own_folders(tmp_path, fault):
    code = PART.format(fault=PARTS[fault])
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout == "raised\n", done.stderr
    assert (tmp_path / "written" / "a").is_file()
    (failure,) = failed.of([tmp_path / "written", tmp_path / "missing"]).to_dicts()
    assert (failure["study"], failure["part"], failure["stage"]) == ("pim_ranks", "trace-demo", "replay")
    assert SAID[fault] in failure["detail"]
    assert ("`limits`" in failure["detail"]) == (fault != "a crash")


@pytest.fixture
def as_nobody(monkeypatch):
    """A folder that another user may enter, and this process as that user, once what it runs is loaded."""
    if os.geteuid() != 0:
        pytest.skip("only the superuser can become another user")
    folder = Path(tempfile.mkdtemp(prefix="apportion-nobody-"))
    folder.chmod(0o755)
    (folder / "demo").mkdir()
    (folder / "demo" / "jobs.csv").write_text(JOBS)
    ingest.check(folder / "demo")
    # The project itself may lie where the other user may not look.
    result = _recognise.reader_modules()
    monkeypatch.setattr(_recognise, "reader_modules", lambda: result)
    yield folder / "demo", lambda: os.seteuid(65534)
    os.seteuid(0)
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    ("hidden", "reason", "code"),
    [("trace.yaml", "entry_unreadable", 2), ("jobs.csv", "entry_unreadable", 2), ("sub", "entry_unreadable", 1)],
)
def test_what_may_not_be_read_is_said(as_nobody, hidden, reason, code):
    drop, become = as_nobody
    (drop / "sub").mkdir()
    (drop / "trace.yaml").write_text("nodes: 4\n")
    (drop / hidden).chmod(0)
    become()
    text, exit_code = ingest.check(drop)
    assert exit_code == code
    assert reason in text
    assert f"{hidden} cannot be read (permission denied)" in text


WORK = """\
import os
import time
from pipeline.runtime import bounded
print(list(bounded.each(lambda n: n * n, [1, 2, 3], [bounded.Bounds()] * 3)))
print(list(bounded.each(lambda n: os.kill(os.getpid(), 9) if n == 2 else n, [1, 2, 3], [bounded.Bounds()] * 3)))
import polars as pl
pl.DataFrame({"a": [2, 1]}).sort("a")
# A thread takes its name only after it has started.
while not bounded._polars_runs():
    time.sleep(0.01)
print(bounded.run(os.getpid, bounded.Bounds()) == os.getpid())
"""


def test_work_has_a_process_of_its_own_and_one_that_crashes_costs_no_other():
    done = subprocess.run([sys.executable, "-c", WORK], cwd=ROOT, capture_output=True, text=True, timeout=120)
    squares, crashed, here = done.stdout.splitlines()
    assert squares == "[1, 4, 9]"
    assert crashed.startswith("[1, OutOfBounds('crashed (SIGKILL")
    assert crashed.endswith(", 3]")
    # A fork does not survive with polars' threads.
    assert here == "True"


def test_any_thread_of_polars_tells_that_it_runs():
    comm = Path("/proc/thread-self/comm")
    name = comm.read_text()
    try:
        comm.write_text("polars-11")
        assert bounded._polars_runs()
    finally:
        comm.write_text(name)


def test_what_the_work_raises_is_raised():
    assert bounded.run(lambda: 5, None) == 5
    with pytest.raises(ValueError, match="not 7"):
        bounded.run(lambda: int("not 7"), bounded.Bounds())


@pytest.mark.parametrize("name", ["run_" + "0" * 20, "ab" * 20, "a" * 129])
def test_names_that_the_workflow_cannot_take_are_refused_with_another(tmp_path, name):
    (tmp_path / name).mkdir()
    (folder,) = drops.discover([tmp_path])
    assert folder.refusal.reason == "drop_name"
    assert drops.DROP_NAME.fullmatch(folder.key)
    assert drops.DROP_NAME.fullmatch(drops.name_for(tmp_path / name))


def test_a_drop_that_cannot_be_fitted_says_so(tmp_path):
    (tmp_path / "demo").mkdir()
    pl.DataFrame({"app": ["a"]}).write_parquet(tmp_path / "demo" / "samples.parquet")
    manifest.seal(tmp_path / "demo")
    list(one_part.each([one_drop.fitting(tmp_path / "demo", tmp_path / "fit", bounded.Bounds())]))
    (failure,) = failed.of([tmp_path / "fit"]).to_dicts()
    assert (failure["part"], failure["stage"]) == ("trace-demo", "fit")
