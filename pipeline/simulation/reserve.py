"""Backfilling with any number of reservations: who of the waiting jobs starts now.

The general form of EASY: the first blocked jobs of the queue, so many as a parameter says, each hold a reservation. One
of them is EASY (Lifka, 1995), all of them are conservative backfilling (Mu'alem and Feitelson, IEEE TPDS 2001); Flux
calls the number `reservation-depth` of its hybrid policy.

The plan is an availability profile: `free[i]` nodes from `time_s[i]` until `time_s[i + 1]`, which running jobs and
reservations take nodes of. Step 0 is now, whenever that is. Expected ends that have passed stay steps of their own, in
their order, after step 0: a job that overruns is taken to end next. So EASY is the same here and in `easy`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.simulation import easy
from pipeline.simulation.easy import INSTANT_S, inlined, leaf


class Dialect(NamedTuple):
    """How a site runs its queue; times in seconds, -1 is without limit."""

    reserve_depth: int = 1
    keeps_reservations: bool = False
    interval_s: float = 0.0
    depth: int = -1
    resolution_s: float = 0.0
    window_s: float = -1.0
    launch_lag_s: float = 0.0
    release_lag_s: float = 0.0
    kill_at_limit: bool = False
    ordered: bool = False
    age_weight: float = 0.0
    age_max_s: float = 604_800.0
    size_weight: float = 0.0


class Plan(NamedTuple):
    """What is planned, kept from pass to pass."""

    time_s: np.ndarray
    free: np.ndarray
    reserved_s: np.ndarray  # (jobs), start that a waiting job is promised; inf = none
    count: np.ndarray  # int64: see below
    clock: np.ndarray  # float64: see below


STEPS, SEEN, HELD = 0, 1, 2
"""Steps of the profile, 0 = it has to be made anew; waiting jobs, from the head, that it knows; those that hold nodes
in it."""
LAST_S, FIRST_S, WAKE_S = 0, 1, 2
"""Last backfill pass; earliest start that is reserved; when a pass is due although nothing happens."""


@njit(cache=True)
def empty_plan(jobs: int, running: int) -> Plan:
    """No plan, with room for `jobs` jobs that wait and `running` that run."""
    # A job that waits makes three steps at most: begin and end of the reservation that it had, and the end of the next.
    room = 3 * jobs + running + 4 if jobs > 0 else 0
    return Plan(
        np.empty(room),
        np.empty(room, np.int64),
        np.full(jobs, np.inf),
        np.zeros(3, np.int64),
        np.array([-np.inf, np.inf, np.inf]),
    )


@njit(cache=True)
def schedule(
    machine: easy.Nodes, plan: Plan, dialect: Dialect, now_s: float, submitted_only: bool, started: np.ndarray
) -> int:
    """One pass; `machine` are the nodes and the queue, `submitted_only`: nothing but submissions since the last pass.

    Writes the started jobs to `started` in order of start and returns their number. `plan.clock[WAKE_S]` is when the
    next pass is due, if nothing happens before.
    """
    count, clock = plan.count, plan.clock
    moved = not submitted_only or clock[WAKE_S] < now_s + INSTANT_S
    clock[WAKE_S] = np.inf
    starts = 0
    if now_s < clock[LAST_S] + dialect.interval_s - INSTANT_S:
        count[STEPS] = 0
        starts = _heads(machine, now_s, started)
        if machine.count[easy.TAIL] > 0:
            clock[WAKE_S] = clock[LAST_S] + dialect.interval_s
        return starts
    clock[LAST_S] = now_s

    # A plan holds until a job ends or a reservation's time has come: later, nobody fits who did not before.
    anew = not submitted_only or count[STEPS] == 0 or dialect.window_s >= 0.0 or clock[FIRST_S] < now_s + INSTANT_S
    if anew:
        count[STEPS] = 0
        if not dialect.keeps_reservations:
            starts = _heads(machine, now_s, started)
    head = machine.count[easy.HEAD]
    if dialect.keeps_reservations:
        last = machine.count[easy.TAIL]
    else:
        last = _last_that_may(machine, dialect, head if anew else head + count[SEEN])
    if last > head and anew:
        seen = count[SEEN]
        _running(machine, plan, dialect)
        if dialect.keeps_reservations:
            _promised(machine, plan, now_s)
            if _overbooked(plan):
                _forget(machine, plan)
                _running(machine, plan, dialect)
            elif not moved:
                count[SEEN] = seen
    if last > head and (anew or last > head + count[SEEN]):
        starts += _queue(machine, plan, dialect, now_s, head + count[SEEN], last, started[starts:])
    if machine.count[easy.HEAD] == machine.count[easy.TAIL]:
        machine.count[easy.HEAD] = machine.count[easy.TAIL] = 0
        count[STEPS] = 0
    if dialect.keeps_reservations:
        clock[WAKE_S] = _next_promise(machine, plan, now_s)
    return starts


@leaf
def _heads(machine, now_s, started):
    """Start the jobs at the head of the queue while they fit; returns how many."""
    head, tail = machine.count[easy.HEAD], machine.count[easy.TAIL]
    starts = 0
    while head < tail and machine.waiting_nodes[head] <= machine.count[easy.FREE]:
        job = machine.waiting_job[head]
        started[starts] = job
        starts += 1
        easy.occupy(machine, job, machine.waiting_nodes[head], now_s + machine.waiting_walltime_s[head])
        head += 1
    machine.count[easy.HEAD] = head
    if head == tail:
        machine.count[easy.HEAD] = machine.count[easy.TAIL] = 0
    return starts


@leaf
def _last_that_may(machine, dialect, first):
    """Position after the last job from `first` on that fits the free nodes; `first` where none does.

    Whoever waits behind it need not be looked at: reservations are for the sake of those that could start.
    """
    last = machine.count[easy.TAIL]
    if dialect.depth >= 0:
        last = min(last, machine.count[easy.HEAD] + dialect.depth)
    while last > first and machine.waiting_nodes[last - 1] > machine.count[easy.FREE]:
        last -= 1
    return max(first, last)


@leaf
def _rounded(end_s, dialect):
    """An expected end in the plan: up to the next multiple of the resolution."""
    if dialect.resolution_s <= 0.0:
        return end_s
    return np.ceil((end_s - INSTANT_S) / dialect.resolution_s) * dialect.resolution_s


@leaf
def _running(machine, plan, dialect):
    """Make the profile of the running jobs alone."""
    time_s, free = plan.time_s, plan.free
    time_s[0], free[0] = -np.inf, machine.count[easy.FREE]
    steps = 1
    for i in range(machine.count[easy.RUNNING]):
        end_s = _rounded(machine.end_s[i], dialect)
        if end_s >= time_s[steps - 1] + INSTANT_S:
            time_s[steps], free[steps] = end_s, free[steps - 1]
            steps += 1
        free[steps - 1] += machine.end_nodes[i]
    plan.count[STEPS], plan.count[SEEN], plan.count[HELD] = steps, 0, 0
    plan.clock[FIRST_S] = np.inf


@leaf
def _step_at(plan, at_s, first):
    """The step that begins at a time, made if there is none; it is `first` or a later one."""
    time_s, free, steps = plan.time_s, plan.free, plan.count[STEPS]
    step, beyond = first, steps
    while step < beyond:
        middle = (step + beyond) // 2
        # From 2^34 s on a time less INSTANT_S is the same number: a step that is there has to be found, too.
        if time_s[middle] < at_s and time_s[middle] <= at_s - INSTANT_S:
            step = middle + 1
        else:
            beyond = middle
    if step == steps or (time_s[step] > at_s and time_s[step] >= at_s + INSTANT_S):
        if steps == len(time_s):
            raise IndexError("the plan has no room for another step")
        for i in range(steps, step, -1):
            time_s[i], free[i] = time_s[i - 1], free[i - 1]
        time_s[step], free[step] = at_s, free[step - 1]
        plan.count[STEPS] = steps + 1
    return step


@leaf
def _earliest(plan, nodes, walltime_s, now_s, dialect, now_only):
    """The first step at which a job fits for its whole walltime; -1 where that is not step 0 and `now_only`."""
    time_s, free, steps = plan.time_s, plan.free, plan.count[STEPS]
    step = 0
    while True:
        while free[step] < nodes:
            step += 1
        if now_only and step > 0:
            return -1
        edge_s = _rounded(max(time_s[step], now_s) + walltime_s, dialect) - INSTANT_S
        after = step + 1
        while after < steps and time_s[after] <= edge_s and free[after] >= nodes:
            after += 1
        if after == steps or time_s[after] > edge_s:
            return step
        step = after + 1


@leaf
def _hold(plan, step, end_s, nodes):
    """Take nodes from a step until a time."""
    for i in range(step, _step_at(plan, end_s, step + 1)):
        plan.free[i] -= nodes


@leaf
def _promised(machine, plan, now_s):
    """Put the reservations that are kept into the profile."""
    for i in range(machine.count[easy.HEAD], machine.count[easy.TAIL]):
        start_s = plan.reserved_s[machine.waiting_job[i]]
        if start_s < np.inf:
            end_s = max(start_s, now_s) + machine.waiting_walltime_s[i]
            _hold(plan, _step_at(plan, start_s, 1), end_s, machine.waiting_nodes[i])
            plan.count[HELD] += 1


@leaf
def _overbooked(plan):
    """Whether reservations and running jobs need more nodes than there are: a job has overrun, the plan is broken."""
    fewest = 0
    for i in range(plan.count[STEPS]):
        fewest = min(fewest, plan.free[i])
    return fewest < 0


@leaf
def _forget(machine, plan):
    """Nobody is promised a start."""
    for i in range(machine.count[easy.HEAD], machine.count[easy.TAIL]):
        plan.reserved_s[machine.waiting_job[i]] = np.inf


@leaf
def _next_promise(machine, plan, now_s):
    """The earliest reservation that is still to come; `clock[FIRST_S]` is the earliest of all."""
    first_s, next_s = np.inf, np.inf
    for i in range(machine.count[easy.HEAD], machine.count[easy.TAIL]):
        start_s = plan.reserved_s[machine.waiting_job[i]]
        first_s = min(first_s, start_s)
        if start_s >= now_s + INSTANT_S:
            next_s = min(next_s, start_s)
    plan.clock[FIRST_S] = first_s
    return next_s


@inlined
def _queue(machine, plan, dialect, now_s, first, last, started):
    """Start or reserve for the jobs of the queue from position `first` to `last`; the others move up.

    Returns how many start.
    """
    waiting_job, waiting_nodes = machine.waiting_job, machine.waiting_nodes
    waiting_walltime_s, count = machine.waiting_walltime_s, plan.count
    new_tail, starts = first, 0
    tail, free = machine.count[easy.TAIL], machine.count[easy.FREE]
    latest_s = now_s + dialect.window_s if dialect.window_s >= 0.0 else np.inf
    i = first
    while i < last and (free > 0 or dialect.keeps_reservations):
        job, nodes, walltime_s = waiting_job[i], waiting_nodes[i], waiting_walltime_s[i]
        held_s = plan.reserved_s[job]
        if held_s < np.inf:
            step = _step_at(plan, held_s, 1)
            _hold(plan, step, max(held_s, now_s) + walltime_s, -nodes)
            count[HELD] -= 1
            plan.reserved_s[job] = np.inf
        full = dialect.reserve_depth >= 0 and count[HELD] >= dialect.reserve_depth
        step = -1
        if not full or nodes <= free:
            step = _earliest(plan, nodes, walltime_s, now_s, dialect, full)
        if step == 0:
            started[starts] = job
            starts += 1
            easy.occupy(machine, job, nodes, now_s + walltime_s)
            free -= nodes
            _hold(plan, 0, _rounded(now_s + walltime_s, dialect), nodes)
        else:
            if step > 0 and plan.time_s[step] < latest_s + INSTANT_S:
                start_s = plan.time_s[step]
                _hold(plan, step, _rounded(max(start_s, now_s) + walltime_s, dialect), nodes)
                count[HELD] += 1
                plan.clock[FIRST_S] = min(plan.clock[FIRST_S], start_s)
                if dialect.keeps_reservations:
                    plan.reserved_s[job] = start_s
            if new_tail < i:
                waiting_job[new_tail], waiting_nodes[new_tail], waiting_walltime_s[new_tail] = job, nodes, walltime_s
            new_tail += 1
        i += 1
    count[SEEN] = new_tail - machine.count[easy.HEAD]
    if new_tail < i:
        for k in range(i, tail):
            waiting_job[new_tail], waiting_nodes[new_tail] = waiting_job[k], waiting_nodes[k]
            waiting_walltime_s[new_tail] = waiting_walltime_s[k]
            new_tail += 1
        machine.count[easy.TAIL] = new_tail
    return starts
