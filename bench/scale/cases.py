"""The traces: what an item is, how many there are at full size, and how a drop with so many is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow.parquet as pq

from bench import logs
from pipeline import make_trace

SEED = 1
PIECE = 5_000_000
"""Items that are made and written at a time; making must not take more memory than what is measured."""
NODES = 988
MONTHS = ("22-05", "22-06", "22-07")
MONTH_DAYS = 30
SWF_JOBS, EDGES, EDGES_A_VERTEX, TASKS, TASKS_A_SET = 5_000_000, 100_000_000, 10, 10_000_000, 100


@dataclass(frozen=True)
class Case:
    """A trace by size. `make(folder, share)` writes a drop of that share of the full size and returns its items."""

    items: str
    trace: str
    make: Callable[[Path, float], int]


def _months(folder: Path, share: float) -> int:
    """Months of node memory in one drop, as many as the share has whole, below one some days of the first."""
    whole = round(len(MONTHS) * share)
    days = None if whole else max(1, round(MONTH_DAYS * len(MONTHS) * share))
    make_trace.write_marconi100(folder, SEED, MONTHS[: max(whole, 1)], NODES, days=days)
    files = folder.glob("year_month=*/plugin=*/metric=mem_free/*.parquet")
    return sum(pq.read_metadata(file).num_rows for file in files)


def _log(folder: Path, share: float) -> int:
    """A log after Lublin and Feitelson."""
    count = round(SWF_JOBS * share)
    logs.write_swf(logs.jobs(count), folder)
    return count


def _graph(folder: Path, share: float) -> int:
    """Edges between vertices drawn at random, without weights."""
    count = round(EDGES * share)
    rng = np.random.default_rng(SEED)
    folder.mkdir(parents=True)
    with (folder / "random.el").open("wb") as file:
        for start in range(0, count, PIECE):
            ends = rng.integers(0, count // EDGES_A_VERTEX, (2, min(PIECE, count - start)), dtype=np.uint32)
            piece = pl.DataFrame({"source": ends[0], "target": ends[1]})
            piece.write_csv(file, include_header=False, separator="\t")
    return count


def _tasks(folder: Path, share: float) -> int:
    """Sets of tasks with periods of 10 to 1000."""
    count = round(TASKS * share)
    rng = np.random.default_rng(SEED)
    folder.mkdir(parents=True)
    with (folder / "tasks.csv").open("wb") as file:
        for start in range(0, count, PIECE):
            number = np.arange(start, min(start + PIECE, count))
            period = rng.integers(10, 1001, len(number))
            piece = pl.DataFrame(
                {
                    "taskset_id": number // TASKS_A_SET,
                    "task_id": number % TASKS_A_SET,
                    "period": period,
                    "deadline": period,
                    "work": np.round(period * rng.uniform(0.01, 0.5, len(number)), 2),
                    "kind": np.where(number % 2, "compute", "memory"),
                }
            )
            piece.write_csv(file, include_header=start == 0)
    return count


CASES = {
    "marconi100": Case(
        "samples", f"{len(MONTHS)} months of memory of {NODES} nodes in one drop, and their jobs", _months
    ),
    "swf": Case("jobs", "a log in the Standard Workload Format", _log),
    "edge_list": Case("edges", f"a graph of {EDGES_A_VERTEX} edges a vertex as text", _graph),
    "tasks": Case("tasks", f"sets of {TASKS_A_SET} tasks as CSV", _tasks),
}
