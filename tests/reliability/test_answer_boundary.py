"""`answer FILE` and `check`: a crash costs one step, a signal ends all of it, and nothing is left behind."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pipeline import __main__ as verbs
from pipeline.runtime.sources import ROOT

LOG = "".join(
    f"{i + 1} {60 * i} -1 {600 + i} {1 + i % 4} -1 100 {1 + i % 4} 900 -1 1 {i % 3} 1 1 1 1 -1 -1\n" for i in range(30)
)
CRASH = "os.kill(os.getpid(), signal.SIGSEGV)"
# As a compiled loop, it holds the interpreter's lock.
NO_END = "Path(os.environ['BEGUN']).write_text(str(os.getpid())); ctypes.PyDLL(None).sleep(600)"
BROKEN = """\
import ctypes, os, signal
from pathlib import Path
from pipeline.__main__ import main
from pipeline.readers import _recognise
from pipeline.stages import one_file

def broken(*given, whole={name}):
    if {where}:
        {fault}
    return whole(*given)

{name} = broken
main()
"""
HANG_S = 120


@pytest.fixture
def drop(tmp_path):
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "log.swf").write_text(LOG)
    (tmp_path / "tmp").mkdir()
    return folder


def start(drop, *arguments, name="_recognise.modules", where="True", fault=CRASH):
    code = BROKEN.format(name=name, where=where, fault=fault)
    temporary = drop.parent / "tmp"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(temporary), "BEGUN": str(drop.parent / "begun")}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=drop.parent, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def ended(process):
    said, errors = process.communicate(timeout=HANG_S)
    return process.returncode, said, errors


def test_a_study_that_crashes_costs_its_own_answer_and_is_said_before_anything_is_replayed(drop):
    broken = {"name": "one_file._Stages.prepare", "where": "given[1] == 'memory_tiers'"}
    code, said, errors = ended(start(drop, "answer", drop, "--short", **broken))
    assert code == 3, errors
    assert "failed: memory_tiers could not replay it: its process crashed (SIGSEGV)" in " ".join(said.split())
    assert "hpc_memory: " in said
    assert "limits" not in said + errors
    assert errors.index("no answer from memory_tiers: its process crashed") < errors.index("replaying through")
    assert "schedulers of memory_tiers" not in errors
    assert list((drop.parent / "tmp").iterdir()) == []


def test_a_crash_of_a_reader_is_said_to_be_one(drop):
    code, said, errors = ended(start(drop, "answer", drop, name="one_file._Stages.read"))
    assert (code, said) == (2, "")
    assert "reading demo crashed (SIGSEGV); nothing is answered" in errors
    assert "limits" not in errors
    code, said, _ = ended(start(drop, "check", drop))
    assert code == 2
    assert "recognising demo crashed (SIGSEGV), so nothing of the drop is used" in said


@pytest.mark.parametrize("verb", ["answer", "check"])
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_a_signal_ends_it_while_compiled_code_runs(drop, verb, number, code):
    process = start(drop, verb, drop, fault=NO_END)
    begun = drop.parent / "begun"
    until = time.monotonic() + HANG_S
    while not (begun.is_file() and begun.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(number)
    assert ended(process)[0] == code
    child = Path("/proc", begun.read_text(), "stat")
    while child.exists() and child.read_text().split()[2] != "Z" and time.monotonic() < until:
        time.sleep(0.02)
    assert time.monotonic() < until
    if number != signal.SIGKILL:
        assert list((drop.parent / "tmp").iterdir()) == []


STEP = """\
import ctypes, os, sys
from pathlib import Path
from pipeline.__main__ import main
from pipeline.reference import generated

def endless():
    {fault}

generated.write = endless
main()
"""


def test_ctrl_c_ends_a_step_of_the_workflow_while_compiled_code_runs(tmp_path):
    begun = tmp_path / "begun"
    environment = os.environ | {"PYTHONPATH": str(ROOT), "BEGUN": str(begun)}
    process = subprocess.Popen([sys.executable, "-c", STEP.format(fault=NO_END), "generate"], env=environment)
    until = time.monotonic() + HANG_S
    while not (begun.is_file() and begun.read_text()) and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(HANG_S) == -signal.SIGINT


@pytest.mark.parametrize("arguments", [("answer", "/dev/stdin"), ("answer", "-"), ("check", "/dev/stdin")])
def test_a_pipe_is_said_not_to_be_read(arguments):
    run = subprocess.run(
        [sys.executable, "-m", "pipeline", *arguments], cwd=ROOT, input=LOG, capture_output=True, text=True
    )
    assert run.returncode == 2
    assert f"{arguments[1]} is a pipe or a device" in run.stderr
    assert "write it to a file first" in run.stderr


def test_a_full_disk_is_said_with_the_folder():
    said = verbs._full(OSError(errno.ENOSPC, "No space left on device", "/there/part", None, "/there/whole"))
    assert said.startswith("the disk is full: /there; make room there")
    assert "where it writes" in verbs._full(OSError(errno.ENOSPC, "No space left on device"))
