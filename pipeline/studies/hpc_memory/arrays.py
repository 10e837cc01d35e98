"""From tables to the arrays of the model: jobs in release order, their phases, and the levels of their profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from types import ModuleType
from typing import NamedTuple

import numpy as np
import polars as pl
from numba import njit

from pipeline.simulation.arrays import rank
from pipeline.simulation.table import checked_inputs, codes, comparable
from pipeline.studies.hpc_memory.inputs import INPUTS, PROFILES
from pipeline.studies.hpc_memory.rules import Workload, by_phase, grant


class Given(NamedTuple):
    """Profiles that a drop gives: levels of job j at `first[j]:first[j + 1]`, in GB per node and shares of time."""

    first: np.ndarray
    memory_gb: np.ndarray
    share: np.ndarray


class Log(NamedTuple):
    """What the log has of the jobs beside their run: who is like whom (-1: nobody), when they ran there (nan: not
    known), the memory asked for (GB per node; nan: none) and the profiles that were given.
    """

    recurrent: np.ndarray
    user: np.ndarray
    start_s: np.ndarray
    end_s: np.ndarray
    request_gb: np.ndarray
    given: Given


@dataclass(frozen=True)
class Arrays:
    """Jobs of one workload in the order of `in_order`; phases and levels in the order of their jobs.

    Memory is per node here (x of the paper); `level_share` is p of the level, `level_gain` is g / c of one more GB
    below it. `cache` holds what was made of the jobs once for several scenarios.
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
    mean_phase_s: np.ndarray
    priority: np.ndarray
    log: Log | None
    cache: dict = field(default_factory=dict, compare=False)

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
            self.mean_phase_s.copy(),
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
        if key not in self.cache:
            order = np.asarray(rule(self, options), dtype=np.float64)
            ranked, count = ("phase", len(self.phase_s)) if rule.of is by_phase else ("level", len(self.level_share))
            if order.shape != (count,):
                raise ValueError(
                    f"{scheduler.__name__}: the rule gives numbers of shape {order.shape}; "
                    f"({count},) would be right, one per {ranked}"
                )
            self.cache[key] = rank(order)
        return self.model._replace(place=self.cache[key])

    def fitting(self, nodes: int) -> Arrays:
        """The jobs that fit a machine of so many nodes."""
        keep = self.nodes <= nodes
        if keep.all():
            return self
        phases, levels = np.diff(self.first_phase), np.diff(self.first_level)
        of_phase, of_level = np.repeat(keep, phases), np.repeat(keep, levels)
        return replace(
            self,
            job_id=self.job_id.filter(pl.Series(keep)),
            submit_s=self.submit_s[keep],
            nodes=self.nodes[keep],
            walltime_s=self.walltime_s[keep],
            optimal_s=self.optimal_s[keep],
            first_phase=offsets(phases[keep]),
            phase_s=self.phase_s[of_phase],
            phase_memory_gb=self.phase_memory_gb[of_phase],
            first_level=offsets(levels[keep]),
            level_memory_gb=self.level_memory_gb[of_level],
            level_share=self.level_share[of_level],
            level_gain=self.level_gain[of_level],
            mean_phase_s=self.mean_phase_s[keep],
            priority=self.priority[keep],
            log=None,
            cache={},
        )


def prepared(inputs: Mapping[str, pl.DataFrame], workloads: pl.Series | None = None) -> dict[str | int, Arrays]:
    """Arrays of every workload, or of those that are named.

    inputs: as `INPUTS` and `PROFILES` declare them. A job without rows in profiles gets the profile of its own phases,
    weighted by duration. Raises ValueError naming a missing table or column, a value out of range, what occurs twice,
    an unknown workload, a job without phases, or rows of an unknown job.
    """
    profiles = {name: table for name, table in PROFILES.items() if name in inputs}
    inputs = checked_inputs(inputs, INPUTS | profiles)
    jobs, phases, profiles, given = (inputs.get(name) for name in (*INPUTS, *PROFILES))
    if not len(jobs):
        return {}
    if workloads is not None:
        codes(workloads, comparable(jobs["workload_id"]).unique().sort(), "workload")
        used = comparable(workloads).unique().implode()
        jobs, phases, profiles, given = (
            frame.filter(comparable(frame["workload_id"]).is_in(used)) if frame is not None and len(frame) else frame
            for frame in (jobs, phases, profiles, given)
        )
    return _prepared(jobs, phases, profiles, given)


def _prepared(
    jobs: pl.DataFrame, phases: pl.DataFrame, profiles: pl.DataFrame | None, given: pl.DataFrame | None
) -> dict[str | int, Arrays]:
    jobs = jobs.with_columns(_workload=comparable(jobs["workload_id"]), _job=comparable(jobs["job_id"]))
    jobs = in_order(jobs)
    key = jobs.select("_workload", "_job").with_row_index("_position")
    phases = _positions(phases, key, "phases").sort("_position", "phase", maintain_order=True)
    phase_count = np.bincount(phases["_position"].to_numpy(), minlength=len(jobs))
    if len(jobs) and phase_count.min() == 0:
        row = jobs.row(int(np.argmin(phase_count)), named=True)
        raise ValueError(f"phases: job {row['job_id']!r} of workload {row['workload_id']!r} has none; a job needs one")
    first_phase = offsets(phase_count)
    phase_s = _floats(phases["duration_s"])
    optimal_s = _segment_sums(first_phase, phase_s)

    own = _profiles(phases, phase_s / np.repeat(optimal_s, phase_count), profiles, key)
    first_level, memory, share, gain = levels(len(jobs), *own).values()
    log = _log(jobs, key, given)
    walltime, priority = _floats(jobs["walltime_s"]), _floats(jobs["priority"])
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
            walltime[a:b],
            optimal_s[a:b],
            first_phase[a : b + 1] - p,
            phase_s[p:q],
            _floats(phases["memory_gb"])[p:q],
            first_level[a : b + 1] - u,
            memory[u:v],
            share[u:v],
            gain[u:v],
            optimal_s[a:b] / phase_count[a:b],
            priority[a:b],
            _part_of(log, a, b),
        )
    return result


def _log(jobs: pl.DataFrame, key: pl.DataFrame, given: pl.DataFrame | None) -> Log:
    """What the log has of the jobs of all workloads; a history has only runs of its own workload."""
    recurrent, user = (_numbers(jobs.select("_workload", *names)) for names in (("user", "name"), ("user",)))
    position, memory_gb, share = np.empty(0, np.int64), np.empty(0), np.empty(0)
    if given is not None and len(given):
        given = _positions(given, key, "given").sort("_position", maintain_order=True)
        position = given["_position"].to_numpy()
        memory_gb, share = _floats(given["memory_gb"]), _floats(given["probability"])
    first = offsets(np.bincount(position, minlength=len(jobs)))
    times = (_floats(jobs[name]) for name in ("log_start_s", "log_end_s", "requested_memory_gb"))
    return Log(recurrent, user, *times, Given(first, memory_gb, share))


def _numbers(columns: pl.DataFrame) -> np.ndarray:
    """A number for each set of equal rows, in the order of their first ones; -1 where a cell is null."""
    whole = ~columns.select(pl.any_horizontal(pl.all().is_null())).to_series()
    rank = columns.with_row_index("_row").select(pl.col("_row").first().over(columns.columns)).to_series()
    return np.where(whole.to_numpy(), np.unique(rank.to_numpy(), return_inverse=True)[1], -1)


def _part_of(log: Log, a: int, b: int) -> Log:
    """What it has of the jobs from a to b, as if there were no others."""
    u, v = log.given.first[a], log.given.first[b]
    given = Given(log.given.first[a : b + 1] - u, log.given.memory_gb[u:v], log.given.share[u:v])
    numbers = (np.unique(each[a:b], return_inverse=True)[1] - int((each[a:b] < 0).any()) for each in log[:2])
    return Log(*numbers, *(each[a:b] for each in log[2:5]), given)


def _profiles(
    phases: pl.DataFrame, share_of_time: np.ndarray, profiles: pl.DataFrame | None, key: pl.DataFrame
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Job, memory (GB per node) and share of its time of each row of the jobs' profiles: their own phases, or theirs
    in `profiles`.
    """
    own = phases.select("_position", "memory_gb", probability=share_of_time)
    if profiles is not None and len(profiles):
        stated = _positions(profiles, key, "profiles").select("_position", "memory_gb", "probability")
        own = own.join(stated.select("_position").unique(), on="_position", how="anti", maintain_order="left")
        own = pl.concat([own.cast(pl.Float64), stated.cast(pl.Float64)])
    return own["_position"].cast(pl.Int64).to_numpy(), _floats(own["memory_gb"]), _floats(own["probability"])


def levels(jobs: int, owner: np.ndarray, memory_gb: np.ndarray, share: np.ndarray) -> dict[str, np.ndarray]:
    """Levels of so many jobs, as `Arrays` has them: by job and memory, equal ones as one, those of no memory left out.

    owner, memory_gb (per node), share (of the job's time): one row each, in any order.
    """
    rows = (
        pl.DataFrame({"owner": owner, "memory_gb": memory_gb, "share": share})
        .filter(pl.col("memory_gb") > 0)
        .sort("owner", "memory_gb", "share")
    )
    owner, memory_gb, share = (rows[c].to_numpy() for c in rows.columns)
    new = np.ones(len(rows), dtype=bool)
    new[1:] = (np.diff(owner) != 0) | (np.diff(memory_gb) != 0)
    merged = _segment_sums(np.append(np.flatnonzero(new), len(new)), share)
    first = offsets(np.bincount(owner[new], minlength=jobs))
    memory_gb = memory_gb[new]
    return {
        "first_level": first,
        "level_memory_gb": memory_gb,
        "level_share": merged,
        "level_gain": _gains(first, merged / memory_gb),
    }


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
    placed = frame.join(key, on=["_workload", "_job"], how="left", maintain_order="left")
    if placed["_position"].null_count():
        row = placed.filter(pl.col("_position").is_null()).row(0, named=True)
        raise ValueError(f"{table}: job {row['job_id']!r} of workload {row['workload_id']!r} is not in jobs")
    return placed.with_columns(pl.col("_position").cast(pl.Int64))


def _floats(values: pl.Series) -> np.ndarray:
    return values.cast(pl.Float64).fill_null(np.nan).to_numpy(writable=True)


def offsets(counts: np.ndarray) -> np.ndarray:
    """Where each of consecutive stretches of so many begins, and where the last ends; int64 (stretches + 1)."""
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
