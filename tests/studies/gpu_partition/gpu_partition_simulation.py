"""One processor and integer tasks, unit by unit or job by job in exact fractions: what a missed deadline is."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from random import Random

Tasks = Sequence[tuple[int, int, int]]


def random_tasks(rng: Random) -> list[tuple[int, int, int]]:
    """One to four integer tasks (C, T, D); some deadlines exceed their periods."""
    tasks = []
    for _ in range(rng.randint(1, 4)):
        period = rng.choice([2, 3, 4, 5, 6, 8, 10, 12])
        work = rng.randint(1, max(1, period // 2))
        tasks.append((work, period, rng.randint(work, period + (4 if rng.random() < 0.3 else 0))))
    return tasks


def preemptive(tasks: Tasks, by_deadline: bool) -> bool:
    """Whether all deadlines hold when all tasks are released together, unit by unit over two hyperperiods."""
    if sum(Fraction(c, t) for c, t, _ in tasks) > 1:
        return False
    until = 2 * lcm(*(t for _, t, _ in tasks)) + max(d for *_, d in tasks) + 1
    jobs: list[list[int]] = []  # priority, task, deadline, units left
    for now in range(until):
        jobs += [[now + d if by_deadline else d, i, now + d, c] for i, (c, t, d) in enumerate(tasks) if now % t == 0]
        if any(now >= due for _, _, due, _ in jobs):
            return False
        if jobs:
            first = min(jobs)
            first[3] -= 1
            if not first[3]:
                jobs.remove(first)
    return True


def non_preemptive(tasks: Tasks, by_deadline: bool) -> bool:
    """The same without preemption, with each task in turn released a moment before the others."""
    if sum(Fraction(c, t) for c, t, _ in tasks) > 1:
        return False
    return all(_without_preemption(tasks, by_deadline, blocker) for blocker in (None, *range(len(tasks))))


def _without_preemption(tasks: Tasks, by_deadline: bool, blocker: int | None) -> bool:
    moment = Fraction(1, 1000)
    until = 4 * lcm(*(t for _, t, _ in tasks)) + 40
    releases = sorted(
        (k * t - (moment if i == blocker else 0), i) for i, (_, t, _) in enumerate(tasks) for k in range(until // t)
    )
    ready: list[tuple] = []
    now, coming = Fraction(-1), 0
    while coming < len(releases) or ready:
        if not ready:
            now = max(now, releases[coming][0])
        while coming < len(releases) and releases[coming][0] <= now:
            release, i = releases[coming]
            coming += 1
            heapq.heappush(ready, (release + tasks[i][2] if by_deadline else tasks[i][2], i, release))
        _, i, release = heapq.heappop(ready)
        now += tasks[i][0]
        # The moment itself is not counted: deadlines hold in the limit of ever shorter ones.
        if now > release + tasks[i][2] + moment:
            return False
    return True
