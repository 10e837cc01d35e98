"""The allocation of gpu_partition once more, in plain Python and as the paper's listings put it: slow, and no arrays.

Source: Zahaf et al. 2021, Lemmas 1 and 2, Algorithms 1 to 3, Definitions 3 and 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations

SLACK = 1e-9


@dataclass(frozen=True)
class Task:
    """A task; `number` is its place in the order of the ids."""

    number: int
    period: float
    deadline: float
    work: float
    kind: str
    beta: float
    factor: float


@dataclass(frozen=True)
class Options:
    """Options of a scenario, by their names in the scenario table."""

    sms: int = 68
    scheduler: str = "sms"
    forbidden: str = "inactive"
    order: str = "decreasing"
    execution_mode: str = "scaled"
    edf: str = "preemptive"
    search: str = "binary"
    stop: str = "fit"
    forbidden_scope: str = "partitions"


@dataclass
class Partition:
    """A partition with its number."""

    number: int
    tasks: list[Task]
    sms: int


@dataclass
class Allocation:
    """What is left when merging ends."""

    partitions: list[Partition]
    merges: int = 0
    tests: int = 0
    failed_lemma: bool = False
    forbidden_tasks: set = field(default_factory=set)
    forbidden_partitions: set = field(default_factory=set)


def conflicting(task: Task, tasks: Sequence[Task]) -> bool:
    """Whether another of the tasks is of the task's kind."""
    return any(other.kind == task.kind and other is not task for other in tasks)


def duration(task: Task, tasks: Sequence[Task], m: int, options: Options) -> float:
    """C(m) beside the tasks."""
    b = task.beta * task.work / (m if options.execution_mode == "scaled" else 1)
    return (task.factor if conflicting(task, tasks) else 1) * (task.work / m + b)


def load(tasks: Sequence[Task], m: int, options: Options) -> float:
    """Sum of C(m)/T."""
    return sum(duration(task, tasks, m, options) / task.period for task in tasks)


def edf(tasks: Sequence[Task], m: int, options: Options) -> bool:
    """EDF by looking at every absolute deadline up to a bound."""
    jobs = [(duration(task, tasks, m, options), task.period, task.deadline) for task in tasks]
    total = sum(c / t for c, t, _ in jobs)
    if total > 1 + SLACK:
        return False
    blocked = options.edf == "non_preemptive"
    if total < 0.9999:
        last = max(*(d for *_, d in jobs), sum((t - d) * c / t for c, t, d in jobs) / (1 - total))
    else:
        # A hyperperiod (the generated periods divide 4000) and no more.
        last = 4000 + max(d for *_, d in jobs)
    checked = sorted({d + k * t for _, t, d in jobs for k in range(max(0, int((last - d) / t)) + 1)})
    for due in checked:
        demand = sum(c * (int((due - d) / t + SLACK) + 1) for c, t, d in jobs if due >= d)
        longer = max((c for c, _, d in jobs if d > due), default=0) if blocked else 0
        if demand + longer > due * (1 + SLACK):
            return False
    return True


def walked_size(a: Partition, b: Partition, options: Options, allocation: Allocation) -> int | None:
    """Algorithm 2, size after size."""
    union = sorted(a.tasks + b.tasks, key=lambda task: task.number)
    for m in range(max(a.sms, b.sms), a.sms + b.sms):
        allocation.tests += 1
        if edf(union, m, options):
            return m
    return None


def bisected_size(a: Partition, b: Partition, options: Options, allocation: Allocation) -> int | None:
    """Algorithm 2 by bisection of the half-open range."""
    union = sorted(a.tasks + b.tasks, key=lambda task: task.number)
    low, high = max(a.sms, b.sms), a.sms + b.sms
    none = high
    while low < high:
        middle = (low + high) // 2
        allocation.tests += 1
        if edf(union, middle, options):
            high = middle
        else:
            low = middle + 1
    return None if low == none else low


def allocate(tasks: Sequence[Task], options: Options) -> Allocation:
    """Algorithm 1 with the options."""
    allocation = Allocation([])
    if sum((task.work + task.beta * task.work) / task.period for task in tasks) > options.sms * (1 + SLACK):
        allocation.failed_lemma = True
        return allocation
    for task in tasks:
        fitting = [
            m for m in range(1, options.sms + 1) if duration(task, [task], m, options) <= task.deadline * (1 + SLACK)
        ]
        if not fitting:
            return Allocation([], failed_lemma=True)
        allocation.partitions.append(Partition(task.number, [task], fitting[0]))
    size = walked_size if options.search == "linear" else bisected_size
    if options.forbidden == "act":
        for a, b in combinations(allocation.partitions, 2):
            if size(a, b, options, allocation) is None:
                allocation.forbidden_tasks.add(frozenset((a.number, b.number)))
    numbers = len(tasks)
    while options.stop == "exhaust" or sum(p.sms for p in allocation.partitions) > options.sms:
        merged = _step(allocation, options, size, numbers)
        if not merged:
            break
        numbers += 1
    return allocation


def _allowed(a: Partition, b: Partition, allocation: Allocation) -> bool:
    if frozenset((a.number, b.number)) in allocation.forbidden_partitions:
        return False
    return not any(frozenset((x.number, y.number)) in allocation.forbidden_tasks for x in a.tasks for y in b.tasks)


def _step(allocation: Allocation, options: Options, size, number: int) -> bool:
    """One merge; False where there is none left."""
    sign = -1 if options.order == "decreasing" else 1
    operands = sorted(allocation.partitions, key=lambda p: (sign * load(p.tasks, p.sms, options), p.number))
    for first in operands:
        others = [p for p in allocation.partitions if p is not first and _allowed(first, p, allocation)]
        others.sort(key=lambda p: p.number)

        def union_load(p: Partition, m: int, first: Partition = first) -> float:
            return load(sorted(first.tasks + p.tasks, key=lambda task: task.number), m, options)

        candidates: list[tuple[int, float, int, Partition]] = []
        if options.scheduler == "bf":
            others.sort(key=lambda p: union_load(p, max(first.sms, p.sms)))
        for second in others:
            m = size(first, second, options, allocation)
            if m is None:
                _forbid(first, second, allocation, options)
                continue
            candidates.append((m, union_load(second, m), second.number, second))
            if options.scheduler == "bf":
                break
        if candidates:
            m, _, _, second = min(candidates, key=lambda candidate: candidate[:3])
            allocation.partitions = [p for p in allocation.partitions if p is not first and p is not second]
            union = sorted(first.tasks + second.tasks, key=lambda task: task.number)
            allocation.partitions.append(Partition(number, union, m))
            allocation.merges += 1
            return True
    return False


def _forbid(a: Partition, b: Partition, allocation: Allocation, options: Options) -> None:
    if options.forbidden_scope == "partitions":
        allocation.forbidden_partitions.add(frozenset((a.number, b.number)))
    else:
        allocation.forbidden_tasks |= {frozenset((x.number, y.number)) for x in a.tasks for y in b.tasks}
