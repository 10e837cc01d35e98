"""Times of calls in this process; time and peak memory of child processes."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.runtime.sources import ROOT

LAUNCHER = Path(__file__).with_name("launcher.py")


class ChildFailed(Exception):  # noqa: N818 - says what happened
    """A child process could not be started, or ended with an error; the message has its last words."""


@dataclass(frozen=True)
class Child:
    """A child process that has ended well: times in s, peak memory in GB (1e9 bytes), what it printed.

    `began_s` is on the clock of time.perf_counter.
    """

    began_s: float
    wall_s: float
    cpu_s: float
    peak_gb: float
    output: str


def seconds(call: Callable[[], object], runs: int) -> list[float]:
    """Wall time of each of `runs` calls, after one that is not counted (compilation, caches)."""
    return alternating({"": call}, runs)[""]


def alternating(
    calls: Mapping[str, Callable[[], object]], runs: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, list[float]]:
    """Times of several calls in turn, so that what else the machine does meets all of them alike.

    They are wall times, or with `clock` time.process_time the CPU times of all threads of this process.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call()
    for _ in range(runs):
        for name, call in calls.items():
            began = clock()
            call()
            times[name].append(clock() - began)
    return times


def child(command: Sequence[str | Path], timeout_s: float = 3600.0, cwd: Path = ROOT) -> Child:
    """Run a command as a fresh process with its own peak memory.

    Raises ChildFailed with the last line of its standard error where it fails, and TimeoutError where it is stopped
    after `timeout_s`.
    """
    with tempfile.TemporaryDirectory(prefix="apportion-bench-") as folder:
        report = Path(folder) / "report.json"
        began = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-I", "-S", LAUNCHER, report, str(timeout_s), *map(str, command)],
            cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
        )  # fmt: skip
        last = (done.stderr.strip().splitlines() or ["nothing on standard error"])[-1]
        if not report.exists():
            raise ChildFailed(f"{command[0]} could not be started: {last}")
        measured = json.loads(report.read_text(encoding="utf-8"))
    if measured.pop("timed_out"):
        raise TimeoutError(f"{command[0]} was stopped after {timeout_s:g} s")
    code = measured.pop("code")
    if code:
        raise ChildFailed(f"{' '.join(map(str, command[:4]))} … ended with code {code}: {last}")
    return Child(began_s=began, output=done.stdout, **measured)
