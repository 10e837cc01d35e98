"""Programs that the benchmarks are compared with, each measured in the same run.

A peer that is a program of others runs as a process of its own and gives a `Run`; where it cannot be had it raises
`Unavailable` with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from bench.measure import Child, ChildFailed, child


class Unavailable(Exception):  # noqa: N818 - an outcome that is shown as a row, not a fault
    """A peer cannot be had or does not run here; the message says why."""


@dataclass(frozen=True)
class Run:
    """A peer's run on a log: what ran, the process, the simulation alone (s), and the schedule (job_id, start_s)."""

    program: str
    process: Child
    simulation_s: float
    schedule: pl.DataFrame


def process(command: Sequence[str | Path], timeout_s: float, cwd: Path) -> Child:
    """Run a peer. Raises Unavailable where it fails, TimeoutError where it takes longer than `timeout_s`."""
    try:
        return child(command, timeout_s, cwd)
    except ChildFailed as failure:
        raise Unavailable(str(failure)) from None


def same_starts(schedule: pl.DataFrame, job_id: pl.Series, start_s: np.ndarray) -> float:
    """Share of our jobs that start at the same second in the other schedule; one that is missing there does not."""
    ours = pl.DataFrame({"job_id": job_id, "ours_s": start_s})
    both = ours.join(schedule, on="job_id", how="left", validate="1:1")
    return float(((both["start_s"] - both["ours_s"]).abs() < 0.5).fill_null(False).mean())
