"""EASY backfilling over arrays (Lifka, 1995): who of the waiting jobs starts now.

State of the nodes, shared by every replay that queues parallel jobs:

* `waiting_job`, `waiting_nodes`, `waiting_walltime_s`: the queue in submission order, at `count[HEAD]:count[TAIL]`;
* `end_s`, `end_nodes`, `end_job`: running jobs by expected end (start + walltime), at `[0:count[RUNNING]]`;
* `count`: int64 array of the scalars named below.

An expected end that has passed stays as it is: nobody is killed, and it is not moved to now. Times closer than
INSTANT_S are one: start + walltime of two jobs may mean the same instant and differ by rounding.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

leaf = njit(cache=True, _nrt=False)
"""Compiled without counting references, which would take most of the time of functions that are called at each event.

For functions that make no array and keep none. `inlined` is for those that take many arrays: a call costs as much as
they do.
"""
inlined = njit(cache=True, _nrt=False, inline="always")

FREE, HEAD, TAIL, RUNNING = 0, 1, 2, 3

INSTANT_S = 1e-6
"""Times closer than this are one instant."""

EASY, EASY_PER_EVENT, FCFS = 0, 1, 2
RULES = {"easy": EASY, "easy_per_event": EASY_PER_EVENT, "fcfs": FCFS}
"""Backfilling rules by name: one pass an instant, one pass an event, none."""


class Nodes(NamedTuple):
    """The nodes of a machine and the jobs that wait for them or hold them."""

    count: np.ndarray
    waiting_job: np.ndarray
    waiting_nodes: np.ndarray
    waiting_walltime_s: np.ndarray
    end_s: np.ndarray
    end_nodes: np.ndarray
    end_job: np.ndarray
    reservation: np.ndarray  # shadow time and extra nodes of the last pass


@njit(cache=True)
def empty_nodes(nodes: int, jobs: int) -> Nodes:
    """An idle machine with room for `jobs` jobs in its queue."""
    count = np.zeros(4, np.int64)
    count[FREE] = nodes
    running = min(nodes, jobs) + 1
    return Nodes(
        count,
        np.empty(jobs, np.int64),
        np.empty(jobs, np.int64),
        np.empty(jobs, np.float64),
        np.empty(running, np.float64),
        np.empty(running, np.int64),
        np.empty(running, np.int64),
        np.zeros(2, np.float64),
    )


@leaf
def submit(machine: Nodes, job: int, nodes: int, walltime_s: float) -> None:
    """Put a job at the end of the queue."""
    tail = machine.count[TAIL]
    if tail == len(machine.waiting_job):
        raise IndexError("the queue has no room for another job")
    machine.waiting_job[tail] = job
    machine.waiting_nodes[tail] = nodes
    machine.waiting_walltime_s[tail] = walltime_s
    machine.count[TAIL] = tail + 1


@leaf
def occupy(machine: Nodes, job: int, nodes: int, end_s: float) -> None:
    """Take nodes for a job that is expected to end at `end_s`."""
    position = machine.count[RUNNING]
    if position == len(machine.end_s):
        raise IndexError("no room for another running job")
    while position > 0 and machine.end_s[position - 1] > end_s:
        machine.end_s[position] = machine.end_s[position - 1]
        machine.end_nodes[position] = machine.end_nodes[position - 1]
        machine.end_job[position] = machine.end_job[position - 1]
        position -= 1
    machine.end_s[position] = end_s
    machine.end_nodes[position] = nodes
    machine.end_job[position] = job
    machine.count[RUNNING] += 1
    machine.count[FREE] -= nodes


@inlined
def release(machine: Nodes, job: int) -> None:
    """Give back the nodes of a running job; a job that was released before is left alone."""
    running = machine.count[RUNNING]
    position = 0
    while position < running and machine.end_job[position] != job:
        position += 1
    if position == running:
        return
    machine.count[FREE] += machine.end_nodes[position]
    for i in range(position, running - 1):
        machine.end_s[i] = machine.end_s[i + 1]
        machine.end_nodes[i] = machine.end_nodes[i + 1]
        machine.end_job[i] = machine.end_job[i + 1]
    machine.count[RUNNING] = running - 1


@leaf
def reserve(machine: Nodes) -> None:
    """Reservation of the first waiting job: shadow time, and the nodes beyond its need that are free by then."""
    needed = machine.waiting_nodes[machine.count[HEAD]]
    available = machine.count[FREE]
    shadow = -np.inf
    i = 0
    running = machine.count[RUNNING]
    while i < running and (available < needed or machine.end_s[i] < shadow + INSTANT_S):
        if available < needed:
            shadow = machine.end_s[i]
        available += machine.end_nodes[i]
        i += 1
    machine.reservation[0] = shadow
    machine.reservation[1] = available - needed


@inlined
def schedule(machine: Nodes, now_s: float, rule: int, unseen: int, started: np.ndarray) -> int:
    """One pass: starts the heads that fit, reserves for the first that does not, backfills behind it.

    `unseen` is the number of jobs at the end of the queue that no pass has seen, where nothing but submissions has
    happened since the last pass, else -1. Then only those need a look: free nodes and the reservation are as the last
    pass left them, and a job that could not be backfilled then cannot be now, because now is later.
    Writes the started jobs to `started` in order of start and returns their number.
    """
    starts = 0
    head, tail = machine.count[HEAD], machine.count[TAIL]
    if unseen >= 0 and tail - head > unseen:
        first = tail - unseen
        if rule == FCFS:
            return 0
    else:
        while head < tail and machine.waiting_nodes[head] <= machine.count[FREE]:
            started[starts] = machine.waiting_job[head]
            starts += 1
            occupy(
                machine,
                machine.waiting_job[head],
                machine.waiting_nodes[head],
                now_s + machine.waiting_walltime_s[head],
            )
            head += 1
        machine.count[HEAD] = head
        if head == tail:
            machine.count[HEAD] = 0
            machine.count[TAIL] = 0
            return starts
        if rule == FCFS:
            return starts
        reserve(machine)
        first = head + 1

    if machine.count[FREE] > 0:
        starts += _backfill(machine, now_s, first, started[starts:])
    return starts


@inlined
def _backfill(machine: Nodes, now_s: float, first: int, started: np.ndarray) -> int:
    """Start the jobs of the queue from position `first` on that do not delay the head; returns how many.

    They end before the shadow time, or take no more than the extra nodes. The others move up.
    """
    tail, free = machine.count[TAIL], machine.count[FREE]
    waiting_job, waiting_walltime_s = machine.waiting_job[first:tail], machine.waiting_walltime_s[first:tail]
    waiting_nodes = machine.waiting_nodes[first:tail]
    latest_end_s, extra = machine.reservation[0] + INSTANT_S, np.int64(machine.reservation[1])
    waiting = starts = 0
    for i in range(len(waiting_nodes)):
        nodes = waiting_nodes[i]
        if nodes <= free:
            end_s = now_s + waiting_walltime_s[i]
            in_time = end_s < latest_end_s
            if in_time or nodes <= extra:
                if not in_time:
                    extra -= nodes
                started[starts] = waiting_job[i]
                starts += 1
                occupy(machine, waiting_job[i], nodes, end_s)
                free -= nodes
                continue
        if waiting < i:
            waiting_job[waiting], waiting_nodes[waiting] = waiting_job[i], nodes
            waiting_walltime_s[waiting] = waiting_walltime_s[i]
        waiting += 1
    machine.count[TAIL] = first + waiting
    machine.reservation[1] = extra
    return starts
