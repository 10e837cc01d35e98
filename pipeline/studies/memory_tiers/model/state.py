"""Jobs, the state of a replay, and how it changes when a job starts, ends or gets other memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.simulation.easy import leaf

EASY, FCFS, RESERVE = 0, 1, 2
BACKFILLING = {"easy": EASY, "fcfs": FCFS, "reserve": RESERVE}
WAIT, REQUEUE = 0, 1
GROWTH = {"wait": WAIT, "requeue": REQUEUE}
"""What becomes of a job whose growth does not fit."""
KB_PER_GB = 1e6
UNLIMITED_KB = 2**61
FREE, FREE_KB, HEAD, TAIL, RUNNING, EVENTS, LISTED, EXTRA, EXTRA_KB = range(9)
"""Places in `count`."""


class Rules(NamedTuple):
    """How the site runs its queue and its pool; times in seconds.

    shares: nobody waits for memory, and the pool is given anew to all that run; each time it takes tau_s.
    """

    backfilling: int = EASY
    reserve_depth: int = 1
    growth: int = WAIT
    shares: bool = False
    tau_s: float = 0.0
    alpha: float = 0.03


class Jobs(NamedTuple):
    """Jobs by release, and their steps (those of job j at `first_step[j]:first_step[j + 1]`)."""

    submit_s: np.ndarray
    walltime_s: np.ndarray
    nodes: np.ndarray
    beta: np.ndarray
    first_step: np.ndarray
    step_s: np.ndarray
    step_kb: np.ndarray
    need_gb: np.ndarray
    """Memory of the step on all nodes, local memory included."""
    local_gb: np.ndarray
    """Local memory among it."""
    place: np.ndarray
    """Of the step among all, where the pool is shared: who is first gets its need first."""


class State(NamedTuple):
    """Scalars, the queue, running jobs by expected end, jobs by next event (a heap), and what each job holds."""

    count: np.ndarray
    shadow_s: np.ndarray
    queue: np.ndarray
    end_s: np.ndarray
    end_job: np.ndarray
    heap: np.ndarray
    in_heap: np.ndarray
    next_s: np.ndarray
    asked_kb: np.ndarray
    """Pool that the job waits for."""
    least_kb: np.ndarray
    """Pool that it holds in every step: that of its largest one after it was put back, else nothing."""
    held_kb: np.ndarray
    """Pool that it holds and can use."""
    target_kb: np.ndarray
    """Pool that it is to have, where the pool is shared: more than it holds while memory is on its way."""
    step: np.ndarray
    begun_s: np.ndarray
    speed: np.ndarray
    listed: np.ndarray
    """Jobs that lack memory; where the pool is shared, all that run."""


@njit(cache=True)
def idle(jobs: Jobs, nodes: int, pool_kb: int, shares: bool) -> State:
    """A machine on which nobody runs yet."""
    total = len(jobs.submit_s)
    running = min(nodes, total) + 1
    count = np.zeros(9, np.int64)
    count[FREE], count[FREE_KB] = nodes, pool_kb
    asked_kb = np.zeros(total, np.int64)
    if not shares:
        for job in range(total):
            asked_kb[job] = jobs.step_kb[jobs.first_step[job]]
    return State(
        count, np.full(1, -np.inf), np.empty(total, np.int64), np.empty(running), np.empty(running, np.int64),
        np.empty(running, np.int64), np.empty(total, np.int64), np.empty(total), asked_kb, np.zeros(total, np.int64),
        np.zeros(total, np.int64), np.zeros(total, np.int64), np.zeros(total, np.int64), np.empty(total),
        np.ones(total), np.empty(running, np.int64),
    )  # fmt: skip


@leaf
def up(s, i):
    """Restore the heap where an event has come nearer."""
    job = s.heap[i]
    while i > 0:
        parent = (i - 1) // 2
        if s.next_s[s.heap[parent]] <= s.next_s[job]:
            break
        s.heap[i] = s.heap[parent]
        s.in_heap[s.heap[i]] = i
        i = parent
    s.heap[i] = job
    s.in_heap[job] = i


@leaf
def down(s, i):
    """Restore the heap where an event has moved away."""
    job, size = s.heap[i], s.count[EVENTS]
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and s.next_s[s.heap[child + 1]] < s.next_s[s.heap[child]]:
            child += 1
        if s.next_s[s.heap[child]] >= s.next_s[job]:
            break
        s.heap[i] = s.heap[child]
        s.in_heap[s.heap[i]] = i
        i = child
    s.heap[i] = job
    s.in_heap[job] = i


@leaf
def _speed(alpha, beta, need_gb, local_gb, wanted_kb, held_kb):
    """Speed of a job that holds `held_kb` of the `wanted_kb` of its step, relative to its speed with all of them.

    With m of its need missing and p of it in the pool: (alpha + (1 - alpha)(1 - m)) / (1 + beta p).
    """
    if held_kb >= wanted_kb:
        return 1.0
    held_gb = held_kb / KB_PER_GB
    full = 1.0 + beta * (need_gb - local_gb) / need_gb
    return (alpha + (1.0 - alpha) * (local_gb + held_gb) / need_gb) / (1.0 + beta * held_gb / need_gb) * full


@leaf
def proceed(s, jobs, job, now_s, alpha):
    """Set a job's speed by what it holds from `now_s` on, and when its step then ends."""
    k = s.step[job]
    speed = _speed(alpha, jobs.beta[job], jobs.need_gb[k], jobs.local_gb[k], jobs.step_kb[k], s.held_kb[job])
    if s.begun_s[job] == now_s:
        s.next_s[job] = now_s + jobs.step_s[k] / speed
    elif speed != s.speed[job]:
        s.next_s[job] = now_s + (s.next_s[job] - now_s) * s.speed[job] / speed
    s.speed[job] = speed


@leaf
def moved(s, jobs, job, now_s, alpha):
    """A job that runs holds something else from `now_s` on."""
    proceed(s, jobs, job, now_s, alpha)
    up(s, s.in_heap[job])
    down(s, s.in_heap[job])


@leaf
def start(s, jobs, job, now_s, start_s, rules):
    """A job takes its nodes and the pool that it waited for."""
    s.count[FREE] -= jobs.nodes[job]
    s.count[FREE_KB] -= s.asked_kb[job]
    s.held_kb[job] = s.asked_kb[job]
    s.step[job], s.begun_s[job] = jobs.first_step[job], now_s
    start_s[job] = now_s
    expected_s = now_s + jobs.walltime_s[job]
    i = s.count[RUNNING]
    if i == len(s.end_s):
        raise IndexError("no room for another running job")
    while i > 0 and s.end_s[i - 1] > expected_s:
        s.end_s[i], s.end_job[i] = s.end_s[i - 1], s.end_job[i - 1]
        i -= 1
    s.end_s[i], s.end_job[i] = expected_s, job
    s.count[RUNNING] += 1
    proceed(s, jobs, job, now_s, rules.alpha)
    s.heap[s.count[EVENTS]] = job
    s.count[EVENTS] += 1
    up(s, s.count[EVENTS] - 1)
    if rules.shares:
        s.target_kb[job] = 0
        s.listed[s.count[LISTED]] = job
        s.count[LISTED] += 1


@leaf
def leave(s, jobs, job, shares):
    """A job gives back its nodes and its memory and has no next event."""
    s.count[EVENTS] -= 1
    i, last = s.in_heap[job], s.count[EVENTS]
    if i < last:
        other = s.heap[last]
        s.heap[i], s.in_heap[other] = other, i
        up(s, i)
        down(s, s.in_heap[other])
    s.count[FREE] += jobs.nodes[job]
    s.count[FREE_KB] += s.target_kb[job] if shares else s.held_kb[job]
    s.held_kb[job] = 0
    i, running = 0, s.count[RUNNING]
    while s.end_job[i] != job:
        i += 1
    for k in range(i, running - 1):
        s.end_s[k], s.end_job[k] = s.end_s[k + 1], s.end_job[k + 1]
    s.count[RUNNING] = running - 1
    unlist(s, job)


@leaf
def unlist(s, job):
    """Take a job out of the list."""
    remaining = 0
    for i in range(s.count[LISTED]):
        if s.listed[i] != job:
            s.listed[remaining] = s.listed[i]
            remaining += 1
    s.count[LISTED] = remaining


@njit(cache=True)
def asked(rule, nodes, request_gb, first_gb, peak_gb, local_gb, asks) -> None:
    """What a scheduler's rule says of each job, as rows of `asks`."""
    for job in range(len(nodes)):
        rule(nodes[job], request_gb[job], first_gb[job], peak_gb[job], local_gb, asks[job])
