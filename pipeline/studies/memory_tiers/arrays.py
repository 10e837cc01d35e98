"""Jobs of a workload as arrays, and as the engine takes them for one machine and scheduler."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

import numpy as np
import polars as pl

from pipeline.simulation.arrays import rank
from pipeline.simulation.table import codes, comparable
from pipeline.studies.memory_tiers import model
from pipeline.studies.memory_tiers.rules import LOCAL_GB, NODES, POOL_GB

LARGER, REQUEST, POOL = 1, 2, 3
REASONS = {LARGER: "larger_than_machine", REQUEST: "request_exceeds_node", POOL: "pool_too_small"}
"""Why a job is not run."""


@dataclass(frozen=True)
class Workload:
    """Jobs by release (ties: position, job_id), phases in their order; memory in GB per node.

    `released_s` is as given, `submit_s` from the first release.
    """

    job_id: pl.Series
    sensitivity_class: np.ndarray
    released_s: np.ndarray
    submit_s: np.ndarray
    walltime_s: np.ndarray
    nodes: np.ndarray
    request_gb: np.ndarray
    beta: np.ndarray
    first_phase: np.ndarray
    duration_s: np.ndarray
    memory_gb: np.ndarray

    @property
    def origin_s(self) -> float:
        """The first release."""
        return float(self.released_s[0]) if len(self.released_s) else 0.0

    @property
    def run_s(self) -> np.ndarray:
        """Run time at full speed."""
        return np.add.reduceat(self.duration_s, self.first_phase[:-1]) if len(self.nodes) else np.empty(0)

    @property
    def peak_gb(self) -> np.ndarray:
        """Largest phase."""
        return np.maximum.reduceat(self.memory_gb, self.first_phase[:-1]) if len(self.nodes) else np.empty(0)

    def asked(self, scheduler: ModuleType, local_gb: float) -> np.ndarray:
        """What the scheduler's rule says of each job: (jobs, 3), see rules."""
        asks = np.zeros((len(self.nodes), 3))
        first_gb = self.memory_gb[self.first_phase[:-1]]
        arguments = (self.nodes, self.request_gb, first_gb, self.peak_gb, local_gb, asks)
        model.asked(scheduler.rule.compiled(), *arguments)
        return asks

    def on(
        self, scheduler: ModuleType, nodes: int, local_gb: float, pool_kb: int, scale: float
    ) -> tuple[model.Jobs, np.ndarray, np.ndarray]:
        """The jobs that run on a machine as the engine takes them, which they are, and why others do not (0 = run).

        local_gb: memory of a node; pool_kb: pool of the machine; scale: of the sensitivities.
        """
        asks = self.asked(scheduler, local_gb)
        takes, most_kb = asks[:, NODES], _kb(asks[:, POOL_GB])
        if not np.isfinite(takes).all() or (takes < self.nodes).any() or (most_kb < 0).any():
            raise ValueError(
                f"{scheduler.__name__}: its rule gives a job fewer nodes than it asks for, or less than no memory"
            )
        reason = np.zeros(len(takes), np.int64)
        reason[most_kb > pool_kb] = POOL
        reason[asks[:, LOCAL_GB] > local_gb] = REQUEST
        reason[takes > nodes] = LARGER
        fits = np.flatnonzero(reason == 0)
        shares = hasattr(scheduler, "order")
        owner = np.repeat(np.arange(len(takes)), np.diff(self.first_phase))
        beta = self.beta * scale
        all_local = (asks[:, POOL_GB] == 0) & (not shares)
        beyond = np.where(all_local[owner], 0.0, np.maximum(self.memory_gb - local_gb, 0.0))
        share = np.divide(beyond, self.memory_gb, out=np.zeros_like(beyond), where=self.memory_gb > 0)
        step_s = self.duration_s * (1.0 + beta[owner] * share)
        if scheduler.FOLLOWS:
            fitting = reason[owner] == 0
            first = np.append(0, np.cumsum(np.diff(self.first_phase)[fits]))
            need_gb, beyond_gb = self.memory_gb * self.nodes[owner], beyond * self.nodes[owner]
            place = rank(np.asarray(scheduler.order(self), float)[fitting]) if shares else np.empty(0, np.int64)
            steps = (step_s[fitting], _kb(beyond_gb)[fitting], need_gb[fitting], (need_gb - beyond_gb)[fitting], place)
        else:
            first = np.arange(len(fits) + 1)
            whole = np.add.reduceat(step_s, self.first_phase[:-1]) if len(takes) else step_s
            none = np.zeros(len(fits))
            steps = (whole[fits], most_kb[fits], none, none, np.empty(0, np.int64))
        jobs = model.Jobs(
            self.submit_s[fits], self.walltime_s[fits], takes[fits].astype(np.int64), beta[fits], first, *steps
        )
        return jobs, fits, reason


def _kb(gb: np.ndarray) -> np.ndarray:
    """Whole kB that hold so many GB."""
    return np.ceil(np.minimum(gb * model.KB_PER_GB, model.UNLIMITED_KB) - 1e-3).astype(np.int64)


def pool_kb(per_node_gb: float | None, nodes: int) -> int:
    """The pool of a machine in whole kB; without a number unlimited."""
    if per_node_gb is None:
        return model.UNLIMITED_KB
    return int(np.floor(per_node_gb * nodes * model.KB_PER_GB + 1e-3))


def prepare(jobs: pl.DataFrame, phases: pl.DataFrame) -> dict:
    """Workloads by id, of checked tables.

    A job without a limit has its run time for one; without a request, its largest phase.
    """
    jobs = jobs.with_columns(_workload=comparable(jobs["workload_id"]), _job=comparable(jobs["job_id"]))
    phases = phases.with_columns(_workload=comparable(phases["workload_id"]), _job=comparable(phases["job_id"]))
    jobs = jobs.sort("_workload", "submit_s", "position", "_job", nulls_last=True)
    phases = phases.sort("_workload", "_job", "phase")
    workloads = {}
    by_workload = phases.partition_by("_workload", as_dict=True)
    for (workload,), own_jobs in jobs.partition_by("_workload", as_dict=True, maintain_order=True).items():
        own = by_workload.get((workload,), phases.clear())
        place = codes(own["job_id"], own_jobs["job_id"], "job of phases")
        order = np.argsort(place, kind="stable")
        count = np.bincount(place, minlength=len(own_jobs))
        if (count == 0).any():
            raise ValueError(f"phases: job {own_jobs['job_id'][int(np.argmin(count))]!r} has none")
        first = np.append(0, np.cumsum(count))
        duration = own["duration_s"].cast(pl.Float64).to_numpy()[order]
        memory = own["memory_gb"].cast(pl.Float64).to_numpy()[order]
        peak, run = np.maximum.reduceat(memory, first[:-1]), np.add.reduceat(duration, first[:-1])
        submit = own_jobs["submit_s"].cast(pl.Float64).to_numpy().copy()
        limit = own_jobs["walltime_s"].cast(pl.Float64).to_numpy()
        request = own_jobs["request_gb"].cast(pl.Float64).to_numpy()
        workloads[workload] = Workload(
            own_jobs["job_id"],
            own_jobs["sensitivity_class"].to_numpy(),
            submit,
            submit - submit[0],
            np.where(np.isnan(limit), run, limit),
            own_jobs["nodes"].cast(pl.Int64).to_numpy().copy(),
            np.fmax(request, peak),
            own_jobs["sensitivity"].cast(pl.Float64).to_numpy().copy(),
            first,
            duration,
            memory,
        )
    return workloads
