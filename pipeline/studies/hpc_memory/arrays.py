"""From tables to the arrays of the model: jobs in release order, their phases, and the levels of their profiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from types import ModuleType

import numpy as np
import polars as pl
from numba import njit

from pipeline.simulation.arrays import rank
from pipeline.simulation.table import codes, comparable, require_columns, require_finite
from pipeline.studies.hpc_memory.rules import Workload, by_phase, grant


@dataclass(frozen=True)
class Arrays:
    """Jobs of one workload in the order of `in_order`; phases and levels in the order of their jobs.

    Memory is per node here (x of the paper); `level_share` is p of the level, `level_gain` is g / c of one more GB
    below it.
    """

    job_id: pl.Series
    submit_s: np.ndarray
    nodes: np.ndarray
    walltime_s: np.ndarray
    optimal_s: np.ndarray
    first_phase: np.ndarray
    phase_s: np.ndarray
    phase_memory_gb: np.ndarray
    first_level: np.ndarray
    level_memory_gb: np.ndarray
    level_share: np.ndarray
    level_gain: np.ndarray
    priority: np.ndarray
    _places: dict = field(default_factory=dict, compare=False)

    @cached_property
    def phase_job(self) -> np.ndarray:
        """Job (position) of each phase."""
        return np.repeat(np.arange(len(self.nodes)), np.diff(self.first_phase))

    @cached_property
    def model(self) -> Workload:
        """What the event loop and the rules read, without an order: arrays of their own, which may be written to."""
        level_job = np.repeat(np.arange(len(self.nodes)), np.diff(self.first_level))
        origin = self.submit_s[0] if len(self.submit_s) else 0.0
        return Workload(
            self.submit_s - origin,
            self.nodes.copy(),
            self.walltime_s.copy(),
            self.optimal_s.copy(),
            self.first_phase.copy(),
            self.phase_s.copy(),
            self.nodes[self.phase_job] * self.phase_memory_gb,
            self.first_level.copy(),
            self.nodes[level_job] * self.level_memory_gb,
            self.level_share.copy(),
            self.level_gain.copy(),
            self.optimal_s / np.diff(self.first_phase),
            np.empty(0, np.int64),
            self.priority.copy(),
        )

    def ordered(self, scheduler: ModuleType, options: dict) -> Workload:
        """What the event loop reads, in the scheduler's order if it has one; ties by the order of the jobs.

        Raises ValueError where the order is not one number per phase, or per level.
        """
        rule = scheduler.rule
        if rule.of is grant:
            return self.model
        key = (scheduler.__name__, *sorted(options.items()))
        if key not in self._places:
            order = np.asarray(rule(self, options), dtype=np.float64)
            ranked, count = ("phase", len(self.phase_s)) if rule.of is by_phase else ("level", len(self.level_share))
            if order.shape != (count,):
                raise ValueError(
                    f"{scheduler.__name__}: the rule gives numbers of shape {order.shape}; "
                    f"({count},) would be right, one per {ranked}"
                )
            self._places[key] = rank(order)
        return self.model._replace(place=self._places[key])

    def fitting(self, nodes: int) -> Arrays:
        """The jobs that fit a machine of so many nodes."""
        keep = self.nodes <= nodes
        if keep.all():
            return self
        phases, levels = np.diff(self.first_phase), np.diff(self.first_level)
        of_phase, of_level = np.repeat(keep, phases), np.repeat(keep, levels)
        return Arrays(
            self.job_id.filter(pl.Series(keep)),
            self.submit_s[keep],
            self.nodes[keep],
            self.walltime_s[keep],
            self.optimal_s[keep],
            _offsets(phases[keep]),
            self.phase_s[of_phase],
            self.phase_memory_gb[of_phase],
            _offsets(levels[keep]),
            self.level_memory_gb[of_level],
            self.level_share[of_level],
            self.level_gain[of_level],
            self.priority[keep],
        )


def prepare(jobs: pl.DataFrame, phases: pl.DataFrame, profiles: pl.DataFrame | None) -> dict[str | int, Arrays]:
    """Arrays of every workload.

    jobs: workload_id, job_id, submit_s, nodes, [walltime_s], [priority], [position]; phases: workload_id, job_id,
    phase, duration_s, memory_gb; profiles: workload_id, job_id, memory_gb, probability. A job without rows in profiles
    gets the profile of its own phases, weighted by duration. The tables have passed `check`. Raises ValueError naming a
    job without phases, rows of an unknown job, or what occurs twice.
    """
    jobs = jobs.with_columns(
        comparable(jobs["workload_id"]).alias("_workload"), comparable(jobs["job_id"]).alias("_job")
    )
    jobs = in_order(jobs)
    key = jobs.select("_workload", "_job").with_row_index("_position")
    if key.select("_workload", "_job").is_duplicated().any():
        twice = key.filter(key.select("_workload", "_job").is_duplicated()).row(0)
        raise ValueError(f"jobs: job_id {twice[2]!r} occurs twice in workload {twice[1]!r}")

    phases = _positions(phases, key, "phases").sort("_position", "phase", maintain_order=True)
    twice = (phases["_position"] == phases["_position"].shift()) & phases["phase"].eq_missing(phases["phase"].shift())
    if twice.any():
        row = phases.filter(twice).row(0, named=True)
        raise ValueError(f"phases: phase {row['phase']} of job {row['job_id']!r} occurs twice")
    phase_count = np.bincount(phases["_position"].to_numpy(), minlength=len(jobs))
    if len(jobs) and phase_count.min() == 0:
        row = jobs.row(int(np.argmin(phase_count)), named=True)
        raise ValueError(f"phases: job {row['job_id']!r} of workload {row['workload_id']!r} has none; a job needs one")
    first_phase = _offsets(phase_count)
    phase_s = _floats(phases["duration_s"])
    optimal_s = _segment_sums(first_phase, phase_s)

    position, memory, merged = _levels(phases, phase_s / np.repeat(optimal_s, phase_count), profiles, key)
    first_level = _offsets(np.bincount(position, minlength=len(jobs)))
    gain = _gains(first_level, merged / memory)

    walltime = _floats(jobs["walltime_s"].cast(pl.Float64).fill_null(np.nan)) if "walltime_s" in jobs.columns else None
    priority = _floats(jobs["priority"].cast(pl.Float64).fill_null(0.0)) if "priority" in jobs.columns else None
    submit, nodes = _floats(jobs["submit_s"]), jobs["nodes"].cast(pl.Int64).to_numpy()
    workload = jobs["_workload"]
    bounds = np.append(np.flatnonzero((workload != workload.shift()).fill_null(True).to_numpy()), len(jobs))
    result = {}
    for a, b in pairwise(bounds):
        p, q = first_phase[a], first_phase[b]
        u, v = first_level[a], first_level[b]
        result[workload[int(a)]] = Arrays(
            jobs["job_id"][int(a) : int(b)],
            submit[a:b],
            nodes[a:b],
            np.full(b - a, np.nan) if walltime is None else walltime[a:b],
            optimal_s[a:b],
            first_phase[a : b + 1] - p,
            phase_s[p:q],
            _floats(phases["memory_gb"])[p:q],
            first_level[a : b + 1] - u,
            memory[u:v],
            merged[u:v],
            gain[u:v],
            np.zeros(b - a) if priority is None else priority[a:b],
        )
    return result


def _levels(
    phases: pl.DataFrame, share_of_time: np.ndarray, profiles: pl.DataFrame | None, key: pl.DataFrame
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Job, memory (GB per node) and share of its time of each level of the jobs' profiles, equal levels as one."""
    own = phases.select("_position", "memory_gb", probability=share_of_time)
    if profiles is not None and len(profiles):
        given = _positions(profiles, key, "profiles").select("_position", "memory_gb", "probability")
        own = own.join(given.select("_position").unique(), on="_position", how="anti", maintain_order="left")
        own = pl.concat([own.cast(pl.Float64), given.cast(pl.Float64)])
    levels = (
        own.cast({"_position": pl.Int64, "memory_gb": pl.Float64, "probability": pl.Float64})
        .filter(pl.col("memory_gb") > 0)
        .sort("_position", "memory_gb", "probability")
    )
    position, memory, share = (levels[c].to_numpy() for c in ("_position", "memory_gb", "probability"))
    new = np.ones(len(levels), dtype=bool)
    new[1:] = (np.diff(position) != 0) | (np.diff(memory) != 0)
    merged = _segment_sums(np.append(np.flatnonzero(new), len(new)), share)
    return position[new], memory[new], merged


def in_order(jobs: pl.DataFrame) -> pl.DataFrame:
    """Jobs by workload (_workload) and release; those released together as `position` says, else by their ids (_job).

    Ids go in natural order: numbers in them by value, so that 9 comes before 10 and 7_2 before 7_10.
    """
    position = ["position"] if "position" in jobs.columns else []
    if jobs["_job"].dtype != pl.String:
        return jobs.sort("_workload", "submit_s", *position, "_job", maintain_order=True, nulls_last=True)
    parts = pl.col("_job").str.extract_groups(r"^(\D*)(\d*)(\D*)(\d*)(.*)$").struct
    natural = [
        part.cast(pl.UInt64, strict=False) if digits else part
        for part, digits in ((parts[k], k in (1, 3)) for k in range(5))
    ]
    return jobs.sort("_workload", "submit_s", *position, *natural, "_job", maintain_order=True, nulls_last=True)


def check(jobs: pl.DataFrame, phases: pl.DataFrame, profiles: pl.DataFrame | None) -> None:
    """Raise ValueError naming the first column that is missing, or table, column and row of a value out of range."""
    require_columns(jobs, ("workload_id", "job_id", "submit_s", "nodes"), "jobs")
    require_columns(phases, ("workload_id", "job_id", "phase", "duration_s", "memory_gb"), "phases")
    require_finite(jobs, "submit_s", "jobs", -np.inf)
    require_finite(jobs, "nodes", "jobs", 1)
    if (jobs["nodes"].cast(pl.Float64) % 1 != 0).any():
        raise ValueError("jobs: nodes must be whole numbers")
    if "walltime_s" in jobs.columns:
        require_finite(jobs, "walltime_s", "jobs", 0, exclusive=True, where=jobs["walltime_s"].is_not_null())
    if "priority" in jobs.columns:
        require_finite(jobs, "priority", "jobs", -np.inf, where=jobs["priority"].is_not_null())
    require_finite(phases, "duration_s", "phases", 0, exclusive=True)
    require_finite(phases, "memory_gb", "phases", 0)
    if profiles is not None:
        require_columns(profiles, ("workload_id", "job_id", "memory_gb", "probability"), "profiles")
        require_finite(profiles, "memory_gb", "profiles", 0)
        require_finite(profiles, "probability", "profiles", 0)


def _positions(frame: pl.DataFrame, key: pl.DataFrame, table: str) -> pl.DataFrame:
    """The frame with the position of each row's job."""
    frame = frame.with_columns(
        comparable(frame["workload_id"]).alias("_workload"), comparable(frame["job_id"]).alias("_job")
    )
    if not len(frame):
        return frame.with_columns(_position=pl.lit(0, pl.Int64))
    for column in ("_workload", "_job"):
        if frame[column].dtype != key[column].dtype:
            raise ValueError(f"{table}: {column[1:]}_id is {frame[column].dtype}, in jobs it is {key[column].dtype}")
    codes(frame["_workload"], key["_workload"].unique(maintain_order=True), "workload")
    found = frame.join(key, on=["_workload", "_job"], how="left", maintain_order="left")
    if found["_position"].null_count():
        row = found.filter(pl.col("_position").is_null()).row(0, named=True)
        raise ValueError(f"{table}: job {row['job_id']!r} of workload {row['workload_id']!r} is not in jobs")
    return found.with_columns(pl.col("_position").cast(pl.Int64))


def _floats(values: pl.Series) -> np.ndarray:
    return values.cast(pl.Float64).to_numpy(writable=True)


def _offsets(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


@njit(cache=True)
def _segment_sums(first, values):
    sums = np.zeros(len(first) - 1)
    for i in range(len(sums)):
        for k in range(first[i], first[i + 1]):
            sums[i] += values[k]
    return sums


@njit(cache=True)
def _gains(first, ratio):
    """Suffix sums within each job: what one more GB is worth below each level."""
    gain = np.empty(len(ratio))
    for i in range(len(first) - 1):
        total = 0.0
        for k in range(first[i + 1] - 1, first[i] - 1, -1):
            total += ratio[k]
            gain[k] = total
    return gain
