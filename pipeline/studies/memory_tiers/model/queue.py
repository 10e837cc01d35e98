"""Who of the waiting jobs starts now: EASY over two resources, or any number of reservations over both.

`simulation.easy` and `simulation.reserve` are the same over nodes alone, and have the literature.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.simulation.easy import INSTANT_S, inlined, leaf
from pipeline.studies.memory_tiers.model.state import (
    EXTRA,
    EXTRA_KB,
    FCFS,
    FREE,
    FREE_KB,
    HEAD,
    RESERVE,
    RUNNING,
    TAIL,
    start,
)


class Plan(NamedTuple):
    """An availability profile of one pass: what is free from `time_s[i]` until `time_s[i + 1]`; step 0 is now.

    Expected ends that have passed stay steps of their own, in their order, after step 0.
    """

    time_s: np.ndarray
    free: np.ndarray
    free_kb: np.ndarray
    steps: np.ndarray  # (1)
    first_s: np.ndarray  # (1), earliest start that the last pass reserved; inf = none


@njit(cache=True)
def no_plan(backfilling, waiting, running):
    """Room for a plan, where the rule of backfilling makes one."""
    room = 2 * waiting + running + 2 if backfilling == RESERVE else 0
    return Plan(
        np.empty(room), np.empty(room, np.int64), np.empty(room, np.int64), np.zeros(1, np.int64), np.full(1, np.inf)
    )


@inlined
def schedule(s, jobs, plan, now_s, unseen, start_s, rules):
    """One pass over the queue.

    `unseen` is the number of jobs at the end of the queue that no pass has seen, where nothing but submissions has
    happened since the last one, else -1.
    """
    if rules.backfilling == RESERVE:
        _reserving(s, jobs, plan, now_s, unseen, start_s, rules)
    else:
        _easy(s, jobs, now_s, unseen, start_s, rules)


@leaf
def _fits(s, jobs, job):
    return jobs.nodes[job] <= s.count[FREE] and s.asked_kb[job] <= s.count[FREE_KB]


@leaf
def _heads(s, jobs, now_s, start_s, rules):
    """Start the jobs at the head of the queue while they fit; returns whether anybody still waits."""
    head, tail = s.count[HEAD], s.count[TAIL]
    while head < tail and _fits(s, jobs, s.queue[head]):
        start(s, jobs, s.queue[head], now_s, start_s, rules)
        head += 1
    s.count[HEAD] = head
    if head == tail:
        s.count[HEAD] = s.count[TAIL] = 0
        return False
    return True


@leaf
def _reserve(s, jobs, job):
    """Shadow time of the head of the queue, when nodes and pool suffice, and what is left of both by then."""
    nodes, kb = jobs.nodes[job], s.asked_kb[job]
    free, free_kb = s.count[FREE], s.count[FREE_KB]
    shadow = -np.inf
    for i in range(s.count[RUNNING]):
        lacking = free < nodes or free_kb < kb
        if not lacking and s.end_s[i] >= shadow + INSTANT_S:
            break
        if lacking:
            shadow = s.end_s[i]
        free += jobs.nodes[s.end_job[i]]
        free_kb += s.held_kb[s.end_job[i]]
    s.shadow_s[0] = shadow
    s.count[EXTRA], s.count[EXTRA_KB] = free - nodes, free_kb - kb


@leaf
def _easy(s, jobs, now_s, unseen, start_s, rules):
    """One pass with a reservation for the first job that does not fit (EASY), or none behind it (first come)."""
    tail = s.count[TAIL]
    if unseen >= 0 and tail - s.count[HEAD] > unseen:
        first = tail - unseen
        if rules.backfilling == FCFS:
            return
    else:
        if not _heads(s, jobs, now_s, start_s, rules) or rules.backfilling == FCFS:
            return
        _reserve(s, jobs, s.queue[s.count[HEAD]])
        first = s.count[HEAD] + 1
    if s.count[FREE] == 0:
        return
    new_tail, latest_s = first, s.shadow_s[0] + INSTANT_S
    for i in range(first, tail):
        job = s.queue[i]
        nodes = jobs.nodes[job]
        if nodes <= s.count[FREE]:
            kb = s.asked_kb[job]
            if kb <= s.count[FREE_KB]:
                in_time = now_s + jobs.walltime_s[job] < latest_s
                if in_time or (nodes <= s.count[EXTRA] and kb <= s.count[EXTRA_KB]):
                    if not in_time:
                        s.count[EXTRA] -= nodes
                        s.count[EXTRA_KB] -= kb
                    start(s, jobs, job, now_s, start_s, rules)
                    continue
        s.queue[new_tail] = job
        new_tail += 1
    s.count[TAIL] = new_tail


@leaf
def _reserving(s, jobs, plan, now_s, unseen, start_s, rules):
    """One pass with reservations for the first `reserve_depth` jobs that do not fit (-1 = all), made anew."""
    if unseen >= 0 and plan.first_s[0] >= now_s + INSTANT_S:
        # Nobody fits later who did not before, until a reservation's time has come.
        i = s.count[TAIL] - unseen
        while i < s.count[TAIL] and not _fits(s, jobs, s.queue[i]):
            i += 1
        if i == s.count[TAIL]:
            return
    plan.first_s[0] = np.inf
    if not _heads(s, jobs, now_s, start_s, rules):
        return
    head, tail = s.count[HEAD], s.count[TAIL]
    # Whoever waits behind the last job that fits need not be looked at.
    last = tail
    while last > head and not _fits(s, jobs, s.queue[last - 1]):
        last -= 1
    if last == head:
        return
    _running(s, jobs, plan)
    reserved, new_tail = 0, head
    i = head
    while i < last:
        job = s.queue[i]
        i += 1
        nodes, kb, walltime_s = jobs.nodes[job], s.asked_kb[job], jobs.walltime_s[job]
        full = rules.reserve_depth >= 0 and reserved >= rules.reserve_depth
        step = -1
        if not full or _fits(s, jobs, job):
            step = _earliest(plan, nodes, kb, walltime_s, now_s, full)
        if step == 0:
            start(s, jobs, job, now_s, start_s, rules)
            _hold(plan, 0, now_s + walltime_s, nodes, kb)
            while last > i and not _fits(s, jobs, s.queue[last - 1]):
                last -= 1
            continue
        if step > 0:
            reserved += 1
            plan.first_s[0] = min(plan.first_s[0], plan.time_s[step])
            _hold(plan, step, max(plan.time_s[step], now_s) + walltime_s, nodes, kb)
        s.queue[new_tail] = job
        new_tail += 1
    for k in range(last, tail):
        s.queue[new_tail] = s.queue[k]
        new_tail += 1
    s.count[TAIL] = new_tail


@leaf
def _running(s, jobs, plan):
    """Make the profile of the running jobs alone."""
    time_s, free, free_kb = plan.time_s, plan.free, plan.free_kb
    time_s[0], free[0], free_kb[0] = -np.inf, s.count[FREE], s.count[FREE_KB]
    last = 0
    for i in range(s.count[RUNNING]):
        if s.end_s[i] >= time_s[last] + INSTANT_S:
            last += 1
            time_s[last], free[last], free_kb[last] = s.end_s[i], free[last - 1], free_kb[last - 1]
        free[last] += jobs.nodes[s.end_job[i]]
        free_kb[last] += s.held_kb[s.end_job[i]]
    plan.steps[0] = last + 1


@leaf
def _earliest(plan, nodes, kb, walltime_s, now_s, now_only):
    """The first step at which a job fits for its whole walltime; -1 where that is not step 0 and `now_only`."""
    time_s, free, free_kb, steps = plan.time_s, plan.free, plan.free_kb, plan.steps[0]
    step = 0
    while True:
        while free[step] < nodes or free_kb[step] < kb:
            step += 1
        if now_only and step > 0:
            return -1
        edge_s = max(time_s[step], now_s) + walltime_s - INSTANT_S
        after = step + 1
        while after < steps and time_s[after] <= edge_s and free[after] >= nodes and free_kb[after] >= kb:
            after += 1
        if after == steps or time_s[after] > edge_s:
            return step
        step = after + 1


@leaf
def _hold(plan, step, end_s, nodes, kb):
    """Take nodes and pool from a step until a time, at which a step begins then."""
    time_s, free, free_kb, steps = plan.time_s, plan.free, plan.free_kb, plan.steps[0]
    after = step + 1
    while after < steps and time_s[after] <= end_s - INSTANT_S:
        after += 1
    if after == steps or time_s[after] >= end_s + INSTANT_S:
        for i in range(steps, after, -1):
            time_s[i], free[i], free_kb[i] = time_s[i - 1], free[i - 1], free_kb[i - 1]
        time_s[after], free[after], free_kb[after] = end_s, free[after - 1], free_kb[after - 1]
        plan.steps[0] = steps + 1
    for i in range(step, after):
        free[i] -= nodes
        free_kb[i] -= kb
