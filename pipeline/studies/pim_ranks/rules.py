"""What a scheduler's rule takes and gives.

Most rules are of `start`: which waiting jobs start now, and on how many ranks. `program` says how VirtualPIM runs an
application, `plan` gives a whole schedule beforehand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pipeline.simulation.easy import leaf
from pipeline.simulation.rules import Floats, FloatTable, Integers, IntegerTable, signature


class Now(NamedTuple):
    """This instant: seconds since the first arrival, how many ranks are free and how many jobs run, wait, have arrived.

    first: the first waiting job, the head of the queue.
    """

    time_s: float
    free_ranks: int
    running: int
    waiting: int
    arrived: int
    first: int


class Machine(NamedTuple):
    """All ranks of the machine; the first now.running places of `job` and `held_ranks` are its jobs, in no order.

    expected_end_s: one per job, the end that is expected of a running one; it may be past where predictions are wrong.
    """

    ranks: int
    job: Integers
    held_ranks: Integers
    expected_end_s: Floats


class Jobs(NamedTuple):
    """The jobs of the workload. A job is its number in queue order (arrival, then job id), from 0.

    next: of a waiting job, the one that waits behind it; -1 = none.
    arrival_s: one per job, in seconds since the first arrival; a rule looks at those that have arrived.
    best_ranks: one per job, at most the ranks of the machine; 0 for schedulers whose NEEDS does not have it.
    app: one per job, the row of its application in time_s, with a column per rank count: expected seconds on 1, 2, …
    ranks, without overhead. least_s: the least of each row, of the whole table.
    """

    next: Integers
    arrival_s: Floats
    best_ranks: Integers
    app: Integers
    time_s: FloatTable
    least_s: Floats


class Options(NamedTuple):
    """The scenario's parameters. overhead: share that is added to each time; an ooo_window without end is 2^63 - 1."""

    seed: int
    overhead: float
    window: int
    ooo_window: int
    perf_at_available: bool


class Memory(NamedTuple):
    """Room that a rule keeps from call to call, all 0 when a scenario begins; eight rows of each kind.

    A row has a place for each job, and for each number of ranks from 0 to R: at least 8 places.
    """

    integers: IntegerTable
    numbers: FloatTable


class Choice(NamedTuple):
    """Room for what a rule chooses: jobs, and the ranks of each, in the order in which they start."""

    job: Integers
    ranks: Integers


@signature
def start(now: Now, machine: Machine, jobs: Jobs, options: Options, memory: Memory, choice: Choice) -> int:
    """Write the jobs that start now and their ranks to `choice`; return how many there are.

    Asked at each instant at which ranks are free and jobs wait, after all ends and arrivals of that instant. Each
    chosen job waits, and is chosen once; it gets at least one rank, and all of them no more than now.free_ranks. A job
    holds its ranks from its start to its end. A rule may leave ranks free, but not when nothing runs and no job will
    arrive any more. Any other choice is refused by a ValueError. A rule writes to `memory` and `choice` alone, and
    looks at no job that has not arrived. Times are the expected ones: predictions, where the replay is given some. A
    rule that draws numbers begins with np.random.seed(options.seed) on its first call of a scenario.
    """


class Stage(NamedTuple):
    """One stage of an application: `time_s` of host work; of a kernel, seconds on one rank and serial ones a rank."""

    kind: str
    time_s: float
    input_s: float
    kernel_s: float
    output_s: float
    serial_s: float


HOST, GANG, UNITS = 0, 1, 2


class Segment(NamedTuple):
    """Part of a program: HOST work, a GANG of ranks that are held together, or UNITS of one rank each.

    seconds: of the host work, the gang, or each unit, without the share `overhead` that the scheduler adds to it.
    """

    kind: int
    ranks: int
    seconds: float
    overhead: float = 0.0

    @property
    def rank_s(self) -> float:
        """Ranks times the seconds that they are held (rank-s)."""
        return self.ranks * (self.seconds * (1 + self.overhead))


@signature
def program(stages: Sequence[Stage], ranks: int, overhead: float, coop_limit: float) -> Sequence[Segment]:
    """How VirtualPIM runs an application: segments, one after the other; plain Python, asked once an application.

    stages: in their order, with one kernel at least; ranks: what the user requests; overhead and coop_limit: of the
    scenario. A gang starts when all its ranks are free, units start as ranks are free and all end before the next
    segment begins. Requests queue as they are made, the head blocks. At least one segment holds ranks.
    """


class Schedule(NamedTuple):
    """Start (s) and ranks of each job."""

    start_s: np.ndarray
    ranks: np.ndarray


MOST_JOBS = 8
"""Larger sets are refused: six jobs take seconds, eight may take minutes on few ranks, and each further one tenfold."""
OBJECTIVES = ("makespan", "att")
"""What a plan may have the least of."""


@signature
def plan(release_s: np.ndarray, time_s: np.ndarray, objective: str) -> Schedule | None:
    """The schedule of all jobs, known beforehand; None where there is none to be had. Plain Python, asked once.

    release_s: one per job, from 0; time_s: (jobs, R), true seconds on 1..R ranks with overhead; objective: makespan
    or att. A job starts at its release or later and holds its ranks, at most R with all others, to its end. May raise
    ValueError for what it cannot plan.
    """


@leaf
def expected_s(jobs, options, job, ranks):
    """Seconds that a job is expected to take on so many ranks (1..R), with the overhead."""
    return jobs.time_s[jobs.app[job], ranks - 1] * (1.0 + options.overhead)
