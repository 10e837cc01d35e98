"""What the machine itself allows, one thread: copying memory, a pass over an array, decoding columns of Parquet."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import polars as pl
import pyarrow.parquet as pq
from numba import njit

from bench import logs
from bench.benchmarks.easy import JOBS, TINY_JOBS
from bench.kernel import Kernel
from bench.measure import alternating
from bench.results import Figure, quotients, rates
from bench.settings import Settings

VALUES, TINY_VALUES = 40_000_000, 1000
"""Numbers of 8 bytes: 320 MB, many times any cache."""
EVENTS_A_JOB = 3
"""A job is submitted, starts and ends."""


@njit
def _triad(a, b, c):
    """STREAM's triad (McCalpin, 1995): a = b + 3 c; 24 bytes per element pass between memory and processor."""
    for i in range(len(a)):
        a[i] = b[i] + 3.0 * c[i]


@njit
def _latest(time_s):
    """The latest of the times of events: one comparison each."""
    latest = -np.inf
    for t in time_s:
        latest = max(latest, t)
    return latest


def run(settings: Settings) -> Iterator[Figure]:
    """Gigabytes (1e9 bytes) a second; then the events of an EASY replay, passed over once, beside the replay."""
    count = settings.size(VALUES, TINY_VALUES)
    rng = np.random.default_rng(1)
    a, b, c = np.empty(count), rng.random(count), rng.random(count)
    drawn = pl.DataFrame({"time_s": np.arange(count) * 20, "used_gb": rng.integers(0, 4_000_000, count) / 16_000})
    path = settings.folder("limits") / "columns.parquet"
    drawn.write_parquet(path, compression="zstd")
    times = alternating(
        {
            "copy": lambda: np.copyto(a, b),
            "triad": lambda: _triad(a, b, c),
            "decode": lambda: pq.read_table(path, use_threads=False),
        },
        settings.runs,
        time.process_time,
    )
    yield rates("copy", 16 * count / 1e9, times["copy"], "GB/s", "numpy, read and written")
    yield rates("triad", 24 * count / 1e9, times["triad"], "GB/s", "STREAM's, compiled here")
    note = f"two columns as pyarrow hands them out, {path.stat().st_size / count:.1f} bytes per row on disk"
    yield rates("decode", 16 * count / 1e9, times["decode"], "GB/s", note)
    yield rates("decode", count, times["decode"], "rows/s")

    jobs = settings.size(JOBS, TINY_JOBS)
    kernel = Kernel(logs.inputs(logs.jobs(jobs)), "unlimited", logs.PROCESSORS)
    kernel.run()
    events_s = np.concatenate([kernel.jobs.model.release_s, kernel.start_s, kernel.end_s])
    times = alternating({"pass": lambda: _latest(events_s), "kernel": kernel.run}, 5 * settings.runs, time.process_time)
    yield rates("pass over events", len(events_s), times["pass"], "events/s", f"{EVENTS_A_JOB} a job, {jobs:,} jobs")
    yield quotients(
        "kernel / pass over events", times["kernel"], times["pass"], "EASY does with them what it must, in their order"
    )
