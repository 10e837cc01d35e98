"""The best schedule there is, by exact search; small sets only, for it knows all arrivals and run times beforehand.

It is ours, not the paper's, and a mixed-integer program. Every job holds as many ranks as the search grants it from its
start to its end. Ranks are alike, so a schedule is a flow of ranks from jobs that have ended to jobs that start
(Artigues, Michelon and Reusser, EJOR 149, 2003).
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
import scipy

from pipeline.studies.pim_ranks.rules import MOST_JOBS, Schedule, plan

NEEDS = ("few_jobs", "objective")
OVERHEAD = 0.0
COMPLEXITY = 9

ATTEMPTS = ((1.0, True), (0.3, True), (7.0, True), (1.0, False), (0.3, False), (7.0, False))
"""Units of time, as shares of the longest least time, and whether the solver presolves, one after the other until it
proves an optimum. A solution may use the solver's tolerance (1e-6, absolute) to the full, and then its own last check
takes it for infeasible or not, as rounding has it ("Solve error"). In another unit the rounding is another one.
"""
PROOF = 1e-5
"""A schedule is proven where it costs no more than the solver's bound and this share of the longest least time."""


@plan
def rule(release_s: np.ndarray, time_s: np.ndarray, objective: str) -> Schedule | None:
    """The schedule of least makespan (or mean turnaround) of at most MOST_JOBS jobs; None where the solver proves none.

    release_s: one per job, from 0; time_s: (jobs, R), seconds on 1..R ranks. Jobs start as early as their order allows.
    Raises ValueError for more jobs.
    """
    jobs = len(time_s)
    if jobs > MOST_JOBS:
        raise ValueError(
            f"optimal searches sets of at most {MOST_JOBS} jobs, this one has {jobs}; split it, or compare with the "
            "metric makespan_lower_bound_s"
        )
    if jobs < 2:
        return Schedule(release_s.copy(), np.argmin(time_s, axis=1) + 1)
    longest = float(np.max(np.min(time_s, axis=1)))
    for share, presolve in ATTEMPTS:
        unit = longest * share
        release, time = release_s / unit, time_s / unit
        incumbent = _list_schedule(release, time, objective)
        program = _Program(release, time, objective, _cost(incumbent, release, time, objective))
        solution = program.solve(presolve)
        if solution is None:
            continue
        schedule = _earliest(np.argsort(solution.start_s, kind="stable"), solution.ranks, release_s, time_s)
        if _cost(schedule, release_s, time_s, objective) <= solution.bound * unit + PROOF * longest:
            return schedule
    return None


def _cost(schedule: Schedule, release: np.ndarray, time: np.ndarray, objective: str) -> float:
    end = schedule.start_s + time[np.arange(len(time)), schedule.ranks - 1]
    return float(end.max() if objective == "makespan" else (end - release).sum())


def _earliest(order: np.ndarray, ranks: np.ndarray, release: np.ndarray, time: np.ndarray) -> Schedule:
    """Jobs placed one after the other, each at the earliest instant from which on its ranks are free for its length.

    In the order of the starts of a schedule no job starts later than there.
    """
    R = time.shape[1]
    start, end = np.zeros(len(ranks)), np.zeros(len(ranks))
    placed: list[int] = []
    for j in order:
        length = time[j, ranks[j] - 1]
        for instant in sorted({release[j], *(end[i] for i in placed if end[i] > release[j])}):
            edges = [instant, *(start[i] for i in placed if instant < start[i] < instant + length)]
            if all(sum(ranks[i] for i in placed if start[i] <= t < end[i]) + ranks[j] <= R for t in edges):
                start[j], end[j] = instant, instant + length
                break
        placed.append(j)
    return Schedule(start, np.asarray(ranks))


def _list_schedule(release: np.ndarray, time: np.ndarray, objective: str) -> Schedule:
    """A good schedule to start from: ranks that trade time against rank-time, jobs by length, the best of several."""
    R = time.shape[1]
    ranks = np.arange(1, R + 1)
    schedules = []
    for weight in (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0):
        granted = np.argmin(time * (1 + weight * ranks / R), axis=1) + 1
        length = time[np.arange(len(time)), granted - 1]
        schedules += [_earliest(np.lexsort((key, release)), granted, release, time) for key in (-length, length)]
    return min(schedules, key=lambda schedule: _cost(schedule, release, time, objective))


class _Solution(NamedTuple):
    """Start and ranks of each job by the solver, and what it proves that no schedule costs less than."""

    start_s: np.ndarray
    ranks: np.ndarray
    bound: float


class _Program:
    """Variables: x (job on a number of ranks), y (job i ends before j starts), flows of ranks, starts, makespan."""

    def __init__(self, release: np.ndarray, time: np.ndarray, objective: str, known: float) -> None:
        self.release, self.time, self.objective, self.known = release, time, objective, known
        self.jobs, self.R = time.shape
        # More ranks that make a job no faster are never needed.
        self.modes = [(j, r + 1) for j in range(self.jobs) for r in range(self.R) if time[j, r] < _before(time[j], r)]
        self.pairs = list(itertools.permutations(range(self.jobs), 2))
        n, m, p = self.jobs, len(self.modes), len(self.pairs)
        sizes = {"x": m, "y": p, "flow": p, "into": n, "start": n, "makespan": 1}
        self.at = dict(zip(sizes, np.cumsum([0, *sizes.values()]), strict=False))
        self.variables = sum(sizes.values())
        self.rows: list[tuple[dict[int, float], float, float]] = []

    def solve(self, presolve: bool) -> _Solution | None:
        """The optimum; None where the solver ends without one."""
        self._constrain()
        lower, upper = np.zeros(self.variables), np.full(self.variables, np.inf)
        upper[: self.at["flow"]] = 1
        lower[self.at["start"] : self.at["makespan"]] = self.release
        upper[self.at["start"] : self.at["makespan"]] = self._latest_end() - self.time.min(axis=1)
        cost = np.zeros(self.variables)
        if self.objective == "makespan":
            upper[-1] = self.known * (1 + 1e-9)
            cost[-1] = 1
        else:
            cost[self.at["start"] : self.at["makespan"]] = 1
            cost[: self.at["y"]] = [self.time[j, r - 1] for j, r in self.modes]
        integral = np.arange(self.variables) < self.at["flow"]
        result = scipy.optimize.milp(
            cost,
            constraints=scipy.optimize.LinearConstraint(*self._matrix()),
            bounds=scipy.optimize.Bounds(lower, upper),
            integrality=integral.astype(int),
            options={"mip_rel_gap": 0.0, "presolve": presolve},
        )
        if result.x is None or result.status != 0:
            return None
        ranks = np.zeros(self.jobs, np.int64)
        for (j, r), chosen in zip(self.modes, result.x[: self.at["y"]], strict=True):
            if chosen > 0.5:
                ranks[j] = r
        bound = result.mip_dual_bound - (0.0 if self.objective == "makespan" else self.release.sum())
        return _Solution(result.x[self.at["start"] : self.at["makespan"]], ranks, float(bound))

    def _latest_end(self) -> np.ndarray:
        """An end of each job that no schedule as good as the known one exceeds."""
        if self.objective == "makespan":
            return np.full(self.jobs, self.known * (1 + 1e-9))
        least = self.time.min(axis=1)
        return self.release + (self.known - (least.sum() - least)) * (1 + 1e-9)

    def _constrain(self) -> None:
        length = [
            {k: self.time[j, r - 1] for k, (owner, r) in enumerate(self.modes) if owner == j} for j in range(self.jobs)
        ]
        ranks = [{k: float(r) for k, (owner, r) in enumerate(self.modes) if owner == j} for j in range(self.jobs)]
        y = {pair: self.at["y"] + k for k, pair in enumerate(self.pairs)}
        flow = {pair: self.at["flow"] + k for k, pair in enumerate(self.pairs)}
        into = [self.at["into"] + j for j in range(self.jobs)]
        start = [self.at["start"] + j for j in range(self.jobs)]
        end = self.at["makespan"]
        latest = self._latest_end()
        for j in range(self.jobs):
            others = [i for i in range(self.jobs) if i != j]
            self._row(dict.fromkeys(ranks[j], 1.0), 1, 1)
            # Ranks come from the idle ones and from jobs that have ended, and go on to jobs that start.
            self._row({into[j]: 1, **{flow[i, j]: 1 for i in others}, **_times(ranks[j], -1)}, 0, 0)
            self._row({**{flow[j, i]: 1 for i in others}, **_times(ranks[j], -1)}, -np.inf, 0)
            self._row({end: 1, start[j]: -1, **_times(length[j], -1)}, 0, np.inf)
        self._row(dict.fromkeys(into, 1.0), 0, self.R)
        for i, j in self.pairs:
            self._row({flow[i, j]: 1, y[i, j]: -self.R}, -np.inf, 0)
            slack = latest[i] - self.release[j]
            self._row({start[j]: 1, start[i]: -1, **_times(length[i], -1), y[i, j]: -slack}, -slack, np.inf)
            if i < j:
                self._row({y[i, j]: 1, y[j, i]: 1}, 0, 1)
                if self.release[i] == self.release[j] and np.array_equal(self.time[i], self.time[j]):
                    self._row({start[j]: 1, start[i]: -1}, 0, np.inf)
        for k, i, j in itertools.permutations(range(self.jobs), 3):
            self._row({y[k, i]: 1, y[i, j]: 1, y[k, j]: -1}, -np.inf, 1)
        # Area: what is released from some instant on must fit between it and the end.
        for origin in np.unique(self.release):
            area = {k: r * self.time[j, r - 1] for k, (j, r) in enumerate(self.modes) if self.release[j] >= origin}
            self._row({end: self.R, **_times(area, -1)}, self.R * origin, np.inf)

    def _row(self, terms: dict[int, float], lower: float, upper: float) -> None:
        self.rows.append((terms, lower, upper))

    def _matrix(self) -> tuple[scipy.sparse.csr_array, list[float], list[float]]:
        """Rows as a matrix, with their lower and upper bounds."""
        row = np.repeat(np.arange(len(self.rows)), [len(terms) for terms, _, _ in self.rows])
        column = np.concatenate([list(terms) for terms, _, _ in self.rows])
        value = np.concatenate([list(terms.values()) for terms, _, _ in self.rows])
        matrix = scipy.sparse.csr_array((value, (row, column)), shape=(len(self.rows), self.variables))
        return matrix, [low for _, low, _ in self.rows], [high for _, _, high in self.rows]


def _before(times: np.ndarray, place: int) -> float:
    """Least time on fewer ranks."""
    return float(times[:place].min()) if place else np.inf


def _times(terms: dict[int, float], factor: float) -> dict[int, float]:
    return {key: factor * value for key, value in terms.items()}
