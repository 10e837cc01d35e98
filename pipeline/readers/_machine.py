"""What the jobs of a trace say of their machine: its size, the load they offer, and what their memory is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

STATED, HEADER, NODE_LISTS, PEAK, LARGEST_JOB = "stated", "header", "node_lists", "peak", "largest_job"
"""Origins of a machine's size, `trace.nodes_origin`."""
MEASURED, DEFAULT_LIKE, DEFAULT, REQUESTED = "measured", "default_like", "default", "requested"
"""Origins of the memory of jobs, `trace.memory_origin`."""

MOSTLY = 0.99
DOUBTFUL = 1.1
"""Nodes busy at once beyond so many times those of the machine, or those that were mostly busy, make it doubtful."""
FEW = 10
"""Jobs of which too much runs after the last submission for their load to say anything."""
WITHOUT_LIMITS = 0.1
"""Share of the jobs without a time limit from which on it is told."""
DEFAULT_SHARE = 0.5
"""Used memory that has one value, or equals what was asked for, in this share of the jobs looks like a default."""
FEWEST = 20
"""Jobs with used memory below which nothing is said of a default."""
ASSUMED = {
    PEAK: "the most {unit}s busy at once by its own starts and ends",
    LARGEST_JOB: "that of its largest job, since no starts are known",
}
SECONDS_A_DAY = 86400.0

COLUMNS = (
    *("submit_s", "nodes", "runtime_s", "walltime_s", "start_s", "end_s"),
    *("used_memory_gb", "requested_memory_gb", "partition"),
)
"""Columns of jobs that are looked at."""


NODE_TOLERANCE = 1.1
"""How much more than a node's memory may be used: 256 GiB are 275 GB, and both are called 256."""
LARGEST_NODE_GB = 4_000.0
"""Hardly a node has more than 4 TB."""
LONGEST_MEDIAN_S = 30 * SECONDS_A_DAY
"""Jobs whose median run time is longer are taken for milliseconds."""


@dataclass
class MemorySeen:
    """Used memory as it came: count, sum and largest (GB), and the most frequent step of the first samples (s)."""

    values: int = 0
    total_gb: float = 0.0
    largest_gb: float = 0.0
    step_s: float | None = None

    def add(self, used_gb: np.ndarray) -> None:
        """Count values in; all at once or batch by batch."""
        if used_gb.size:
            self.values += used_gb.size
            self.total_gb += float(used_gb.sum())
            self.largest_gb = max(self.largest_gb, float(used_gb.max()))

    def add_series(self, time_s: np.ndarray, used_gb: np.ndarray, begins: np.ndarray) -> None:
        """The same of samples in the order of their series and times; begins: whether a sample is the first of one."""
        self.add(used_gb)
        if self.step_s is None:
            steps = np.diff(time_s)[~begins[1:]]
            if steps.size:
                self.step_s = float(np.median(steps))

    def text(self, unit: str) -> str:
        """Step, mean and largest value in words."""
        step = f"a sample every {self.step_s:g} s, " if self.step_s else ""
        return f"{step}mean {self.total_gb / self.values:.4g} GB, largest {self.largest_gb:.4g} GB per {unit}"


class Machine(NamedTuple):
    """Size of a machine, and what its jobs ask of it."""

    nodes: int | None
    origin: str | None
    offered_load: float | None
    span_s: float | None
    warnings: list[str]


def busy_nodes(start_s: np.ndarray, end_s: np.ndarray, nodes: np.ndarray) -> tuple[int, int]:
    """Most nodes busy at once by jobs that run in [start_s, end_s), and how many are not exceeded MOSTLY of the time.

    A job that ends frees its nodes for one that starts at that instant. Arrays of one length; 0 without jobs.
    """
    time = np.concatenate([end_s, start_s])
    change = np.concatenate([-nodes, nodes])
    order = np.lexsort((change, time))
    busy = np.cumsum(change[order])
    if not busy.size:
        return 0, 0
    lasts = np.diff(time[order], append=time[order[-1]])
    by_size = np.argsort(busy, kind="stable")
    until = np.cumsum(lasts[by_size])
    mostly = busy[by_size][np.searchsorted(until, MOSTLY * until[-1])]
    return int(max(busy.max(), 0)), int(max(mostly, 0))


def of_jobs(jobs: pl.DataFrame, nodes: int | None, origin: str | None, unit: str) -> Machine:
    """The machine that the jobs (COLUMNS) of one trace ran on.

    nodes, origin: its size where trace.yaml, a header or lists of nodes tell it. Lists that name fewer nodes than were
    busy at once do not name all, so the peak goes before them.
    """
    largest, peak, mostly = _largest_and_peak(jobs)
    warnings = []
    if origin in (STATED, HEADER) and peak is not None and peak > DOUBTFUL * nodes:
        warnings.append(
            f"By its own starts and ends up to {peak} {unit}s were busy at once, more than the machine's {nodes}."
        )
    if origin not in (STATED, HEADER) and (nodes or 0) < max(largest, peak or 0):
        nodes, origin = (max(peak, largest), PEAK) if peak is not None else (largest, LARGEST_JOB)
        warnings.append(f"The machine's size, {nodes} {unit}s, is assumed: {ASSUMED[origin].format(unit=unit)}.")
        if origin == PEAK and nodes > DOUBTFUL * max(mostly, largest):
            warnings.append(f"For {MOSTLY:.0%} of the time no more than {mostly} were busy; state nodes if that is it.")
    span_s, load = _span_and_load(jobs, nodes)
    if load is not None and load > 1 and jobs.height >= FEW:
        warnings.append(
            f"The offered load is {load:.2f}: the jobs ask for more than {nodes} {unit}s can do in the time, so waits "
            "grow without bound; is the size right?"
        )
    without = jobs["walltime_s"].null_count()
    if jobs.height and without >= WITHOUT_LIMITS * jobs.height:
        which = "No job has a time limit" if without == jobs.height else f"{without} jobs have no time limit"
        warnings.append(f"{which}: EASY backfilling takes run times in their place, which it knows exactly.")
    median_s = jobs["runtime_s"].median()
    if median_s is not None and median_s > LONGEST_MEDIAN_S:
        warnings.append(
            f"Half of the jobs run longer than {median_s / SECONDS_A_DAY:.0f} days; are these milliseconds?"
        )
    return Machine(nodes, origin, load, span_s, warnings)


def _largest_and_peak(jobs: pl.DataFrame) -> tuple[int, int | None, int]:
    """Nodes of the largest job, the most busy at once (None where no job has start and end), and mostly."""
    end = pl.coalesce("end_s", pl.col("start_s") + pl.col("runtime_s"))
    ran = jobs.select("nodes", "start_s", end.alias("end_s")).drop_nulls()
    peak, mostly = busy_nodes(*(ran[name].to_numpy() for name in ("start_s", "end_s", "nodes")))
    return int(jobs["nodes"].max() or 0), peak if ran.height else None, mostly


def _span_and_load(jobs: pl.DataFrame, nodes: int | None) -> tuple[float | None, float | None]:
    if not jobs.height:
        return None, None
    span_s = float(jobs["submit_s"].max() - jobs["submit_s"].min())
    ran_s = pl.coalesce("runtime_s", pl.col("end_s") - pl.col("start_s"))
    work = jobs.select((ran_s * pl.col("nodes")).drop_nulls()).to_series()
    if not (work.len() and span_s > 0 and nodes):
        return span_s, None
    # Summed by numpy: polars adds in an order that depends on its threads.
    return span_s, float(np.sum(work.to_numpy())) / (nodes * span_s)


def memory_origin(jobs: pl.DataFrame, reported: str | None) -> tuple[str | None, str | None]:
    """Where the memory that a log has of its jobs (COLUMNS) comes from, and a warning, if any.

    reported: what the reader has found, and said, of used memory: DEFAULT or DEFAULT_LIKE; None = nothing.
    """
    used, requested = jobs["used_memory_gb"], jobs["requested_memory_gb"]
    if used.is_not_null().any():
        if reported:
            return reported, None
        origin, sentence = default_origin(used, requested, "GB")
        return origin or MEASURED, sentence
    return (REQUESTED if requested.is_not_null().any() else None), None


def default_origin(used: pl.Series, requested: pl.Series, unit: str) -> tuple[str | None, str | None]:
    """Whether used memory is a default, or looks like one, and why in a sentence; None, None where it does not.

    It looks like one where half of the jobs have one value, or where half have what they asked for; where both hold it
    is one. used, requested: of the same jobs, in `unit`; null = not known.
    """
    known = pl.DataFrame({"used": used, "requested": requested}).drop_nulls("used")
    if known.height < FEWEST:
        return None, None
    value, count = known["used"].value_counts().sort("count", "used", descending=[True, False]).row(0)
    asked = int((known["used"] == known["requested"]).sum())
    reasons = []
    if count >= DEFAULT_SHARE * known.height:
        reasons.append(f"it is {value:g} {unit} for {count / known.height:.1%} of {known.height} jobs")
    if asked >= DEFAULT_SHARE * known.height:
        reasons.append(f"it equals the requested memory in {asked} of {known.height} jobs")
    if not reasons:
        return None, None
    origin, looks = (DEFAULT, "is") if len(reasons) == 2 else (DEFAULT_LIKE, "looks like")
    return origin, f"Used memory {looks} a default, not a measurement: {' and '.join(reasons)}."
