"""Runs tests again and again, each time in a fork of one process that has loaded the large libraries and none of ours.

`python -m reliability.forked_tests` in the folder of the tests answers each line of its input, pytest's arguments as a
JSON list, by a line, {"code": exit code or null, "output": text}; null where the time ran out.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Self

CPU_S = 15
"""What one test may take; without compilation the longest of those that are used takes about 6."""
WAIT_S = 1200
"""Tests that wait for something that never comes use no CPU time."""
LIBRARIES = ("pytest", "numpy", "numba", "polars", "dataframely", "pydantic", "yaml", "scipy.stats", "scipy.optimize")


class ForkedTests:
    """The process, and the questions to it, in a `with` block."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __enter__(self) -> Self:
        environment = os.environ | {
            "NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1",
            "POLARS_ENGINE_AFFINITY": "in-memory", "PYTHONPATH": str(self.folder),
        }  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, "-m", "reliability.forked_tests"], cwd=self.folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        return self

    def __exit__(self, *_: object) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()

    def run(self, arguments: Sequence[str]) -> tuple[int | None, str]:
        """Exit code of pytest (None where its time ran out) and what it printed."""
        self.process.stdin.write(json.dumps(list(arguments)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError("the process that runs the tests ended; its last words stand above")
        read = json.loads(answer)
        return read["code"], read["output"]


class Limit:
    """Plugin of pytest that gives each test its CPU time."""

    def pytest_runtest_setup(self) -> None:
        """End the process where the test that begins takes longer."""
        used = resource.getrusage(resource.RUSAGE_SELF)
        soft = int(used.ru_utime + used.ru_stime) + CPU_S
        resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))


def answer(arguments: Sequence[str]) -> dict[str, Any]:
    """Run pytest in a fork of this process."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if child == 0:
            _tests(arguments, output)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        said = output.read().decode(errors="replace")
    ran_out = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGALRM)
    return {"code": None if ran_out else os.waitstatus_to_exitcode(status), "output": said}


def _tests(arguments: Sequence[str], output: IO[bytes]) -> None:
    """Become a run of the tests: never returns."""
    import pytest

    signal.alarm(WAIT_S)
    with Path(os.devnull).open() as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    code = pytest.main(list(arguments), plugins=[Limit()])
    sys.stdout.flush()
    os._exit(int(code))


def main() -> None:
    """Answer the lines of the input until it ends."""
    for name in LIBRARIES:
        importlib.import_module(name)
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line))) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
