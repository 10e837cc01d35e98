"""Backfilling written for reading, not for speed: the start of every job under each dialect of the queue.

The rules are those of README.md in this folder; R1 to R13 name them. Standard library only.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

INSTANT_S = 1e-6
"""Times closer than this are one instant."""

ALWAYS = -math.inf
"""Where planned time begins."""


class Job(NamedTuple):
    """A job as it is submitted: `nodes` for `run_s` seconds, of which the scheduler knows `limit_s` alone."""

    job: str
    submit_s: float
    nodes: int
    run_s: float
    limit_s: float


class Dialect(NamedTuple):
    """How the queue is run: fcfs, easy, easy_per_event, or reserve with a depth (-1 = all), recomputed or kept."""

    backfilling: str
    reserve_depth: int = 1
    reservations: str = "recomputed"


class Running(NamedTuple):
    """A job that holds nodes, with the time at which it ends and the time at which it is expected to."""

    job: Job
    end_s: float
    expected_end_s: float


def starts(jobs: Iterable[Job], nodes: int, dialect: Dialect) -> dict[str, float | None]:
    """Start of each job in seconds, by its name and in the order of `jobs`; None for a job larger than the machine."""
    jobs = list(jobs)
    for job in jobs:
        if job.nodes < 1 or job.run_s < 0 or job.limit_s < 0:
            raise ValueError(f"job {job.job}: nodes must be at least 1, run_s and limit_s at least 0: {job}")
    accepted = [job for job in jobs if job.nodes <= nodes]  # R2
    found = QUEUES[dialect.backfilling](accepted, nodes, dialect).replay()
    return {job.job: found.get(job.job) for job in jobs}


class Queue:
    """A machine with a queue that is run first come, first served."""

    def __init__(self, accepted: Sequence[Job], nodes: int, dialect: Dialect):
        self.to_come = deque(sorted(accepted, key=lambda job: job.submit_s))  # R3: equal ones keep their order
        self.nodes = self.free = nodes
        self.depth = len(accepted) if dialect.reserve_depth < 0 else dialect.reserve_depth
        self.now = -math.inf
        self.waiting: list[Job] = []
        self.running: list[Running] = []  # in order of start
        self.start_s: dict[str, float] = {}

    def replay(self) -> dict[str, float]:
        """From instant to instant until every job has started (R1)."""
        while self.to_come or self.waiting:
            self.now = min(self.events())
            ended = [held for held in self.running if self.due(held.end_s)]
            submitted = []
            while self.to_come and self.due(self.to_come[0].submit_s):
                submitted.append(self.to_come.popleft())
            self.instant(ended, submitted)
        return self.start_s

    def events(self) -> list[float]:
        """Times at which something happens next."""
        ends = [held.end_s for held in self.running]
        return [*ends, self.to_come[0].submit_s] if self.to_come else ends

    def due(self, time_s: float) -> bool:
        """Whether a time that has not been dealt with belongs to this instant."""
        return time_s - self.now < INSTANT_S

    def instant(self, ended: list[Running], submitted: list[Job]) -> None:
        """Ends, then submissions, then one pass (R4)."""
        for held in ended:
            self.end(held)
        self.waiting += submitted
        self.one_pass()

    def one_pass(self) -> None:
        """Start jobs that wait."""
        self.start_heads()

    def start_heads(self) -> None:
        """Start the first of the queue while it fits (R5)."""
        while self.waiting and self.waiting[0].nodes <= self.free:
            self.start(self.waiting[0])

    def start(self, job: Job) -> None:
        """Give a waiting job its nodes."""
        start_s = max(self.now, job.submit_s)
        self.waiting.remove(job)
        self.start_s[job.job] = start_s
        self.running.append(Running(job, start_s + job.run_s, start_s + job.limit_s))
        self.free -= job.nodes

    def end(self, held: Running) -> None:
        """Take the nodes of a job back."""
        self.running.remove(held)
        self.free += held.job.nodes


class Easy(Queue):
    """One reservation, for the first job that does not fit; one pass an instant."""

    def one_pass(self) -> None:
        """Heads, then those behind that do not delay the first of the queue (R6)."""
        self.start_heads()
        if not self.waiting:
            return
        shadow_s, extra = self.reservation(self.waiting[0])
        for job in self.waiting[1:]:
            if job.nodes > self.free:
                continue
            in_time = self.now + job.limit_s < shadow_s + INSTANT_S
            if in_time or job.nodes <= extra:
                self.start(job)
                extra -= 0 if in_time else job.nodes

    def reservation(self, head: Job) -> tuple[float, int]:
        """Shadow time, and the nodes beyond the need of the head that are free then; ends that passed count (R7)."""
        by_end = sorted(self.holding(), key=lambda held: held.expected_end_s)
        shadow_s, free = -math.inf, self.free
        for held in by_end:
            if free >= head.nodes and held.expected_end_s >= shadow_s + INSTANT_S:
                break
            if free < head.nodes:
                shadow_s = held.expected_end_s
            free += held.job.nodes
        return shadow_s, free - head.nodes

    def holding(self) -> list[Running]:
        """Running jobs that a reservation has to wait for."""
        return self.running


class EasyPerEvent(Easy):
    """A pass after each event; submissions come first (R8)."""

    leaving: list[Running]

    def instant(self, ended: list[Running], submitted: list[Job]) -> None:
        """Each submission and each end has a pass; what ends now as expected counts as free from the first on."""
        self.leaving = [held for held in ended if abs(held.expected_end_s - self.now) < INSTANT_S]
        for held in self.leaving:
            self.free += held.job.nodes
        for job in submitted:
            self.waiting.append(job)
            self.one_pass()
        for held in ended:
            self.end(held)
            self.one_pass()

    def holding(self) -> list[Running]:
        """Running jobs without those that count as free."""
        return [held for held in self.running if held not in self.leaving]

    def end(self, held: Running) -> None:
        """Nodes that counted as free are free already."""
        self.running.remove(held)
        if held in self.leaving:
            self.leaving.remove(held)
        else:
            self.free += held.job.nodes


class Plan:
    """Free nodes over planned time: `free[i]` from `time_s[i]` on, until `time_s[i + 1]` (R9).

    Planned time begins at minus infinity, which is where a job that starts now begins. So the jobs whose expected
    end has passed end one after another after that, and a job that starts now meets whoever waits for those ends.
    """

    def __init__(self, nodes: int, running: Iterable[Running]):
        self.time_s = [ALWAYS]
        self.free = [nodes]
        for held in running:
            self.hold(ALWAYS, held.expected_end_s, held.job.nodes)

    def hold(self, begin_s: float, end_s: float, nodes: int) -> None:
        """Take nodes in [begin, end); a negative number gives them back."""
        for i in range(self.point(begin_s), self.point(end_s)):
            self.free[i] -= nodes

    def point(self, time_s: float) -> int:
        """Index of a time, which becomes one of the plan's; one that is closer than an instant is the same."""
        if time_s == ALWAYS:
            return 0
        i = bisect_right(self.time_s, time_s - INSTANT_S)
        if i == len(self.time_s) or self.time_s[i] >= time_s + INSTANT_S:
            self.time_s.insert(i, time_s)
            self.free.insert(i, self.free[i - 1])
        return i

    def earliest(self, job: Job, now_s: float) -> float:
        """First begin b of the plan from which the job's nodes are free until max(b, now) + limit (R10)."""
        i = 0
        while True:
            blocked = self.blocked(i, job, now_s)
            if blocked is None:
                return self.time_s[i]
            i = blocked + 1

    def blocked(self, i: int, job: Job, now_s: float) -> int | None:
        """Last index at which a job that begins at index i lacks nodes; None where it has them."""
        end_s = max(self.time_s[i], now_s) + job.limit_s
        lacking = None
        while i < len(self.time_s):
            if self.free[i] < job.nodes:
                lacking = i
            i += 1
            if i < len(self.time_s) and self.time_s[i] > end_s - INSTANT_S:
                break
        return lacking


class Reserve(Queue):
    """Reservations for so many of the jobs that wait, made anew at every pass."""

    def one_pass(self) -> None:
        """Each waiting job in queue order starts, is reserved for, or waits without a reservation (R11)."""
        plan = Plan(self.nodes, self.running)
        reserved = 0
        for job in list(self.waiting):
            begin_s = plan.earliest(job, self.now)
            if begin_s == ALWAYS:
                self.start(job)
                plan.hold(begin_s, self.now + job.limit_s, job.nodes)
            elif reserved < self.depth:
                plan.hold(begin_s, max(begin_s, self.now) + job.limit_s, job.nodes)
                reserved += 1


class ReserveKept(Queue):
    """Reservations that are kept until the job starts, and only moved to an earlier time."""

    def __init__(self, accepted: Sequence[Job], nodes: int, dialect: Dialect):
        super().__init__(accepted, nodes, dialect)
        self.begin_s: dict[str, float] = {}  # reserved begin by job

    def events(self) -> list[float]:
        """A reserved begin is an event, too."""
        return super().events() + [begin for begin in self.begin_s.values() if begin >= self.now + INSTANT_S]

    def instant(self, ended: list[Running], submitted: list[Job]) -> None:
        """A pass in which all reservations may move, where more than submissions has happened."""
        for held in ended:
            self.end(held)
        self.waiting += submitted
        come = any(abs(begin - self.now) < INSTANT_S for begin in self.begin_s.values())
        self.kept_pass(moves=bool(ended) or come)

    def kept_pass(self, moves: bool) -> None:
        """Each waiting job in queue order takes the earliest begin beside the reservations of all others (R12)."""
        plan = Plan(self.nodes, self.running)
        for job in self.waiting:
            if job.job in self.begin_s:
                plan.hold(*self.reserved(job))
        if min(plan.free) < 0:  # R13
            self.begin_s.clear()
            plan = Plan(self.nodes, self.running)
        for job in list(self.waiting):
            had = job.job in self.begin_s
            if had and not moves:
                continue
            if had:
                begin_s, end_s, nodes = self.reserved(job)
                plan.hold(begin_s, end_s, -nodes)
            begin_s = plan.earliest(job, self.now)
            if begin_s == ALWAYS:
                self.begin_s.pop(job.job, None)
                self.start(job)
                plan.hold(begin_s, self.now + job.limit_s, job.nodes)
            elif had or len(self.begin_s) < self.depth:
                self.begin_s[job.job] = begin_s
                plan.hold(*self.reserved(job))

    def reserved(self, job: Job) -> tuple[float, float, int]:
        """Begin, end and nodes of a reservation."""
        begin_s = self.begin_s[job.job]
        return begin_s, max(begin_s, self.now) + job.limit_s, job.nodes


def reserve(accepted: Sequence[Job], nodes: int, dialect: Dialect) -> Queue:
    """The queue of a dialect with reservations."""
    return {"recomputed": Reserve, "kept": ReserveKept}[dialect.reservations](accepted, nodes, dialect)


QUEUES = {"fcfs": Queue, "easy": Easy, "easy_per_event": EasyPerEvent, "reserve": reserve}
