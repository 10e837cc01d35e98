"""The event loop."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.simulation.easy import INSTANT_S, inlined, leaf
from pipeline.studies.memory_tiers.model import pool, queue, state
from pipeline.studies.memory_tiers.model.state import EVENTS, FREE_KB, LISTED, TAIL, Jobs, Rules


@njit(cache=True, nogil=True)
def run(jobs: Jobs, nodes: int, pool_kb: int, rules: Rules, start_s, end_s, lost_s) -> tuple[float, int]:
    """Replay jobs that all fit the machine.

    Writes the start of each job's last run, its end, and the seconds of a run that was lost (0 = none).
    Returns kB-seconds of the pool that were held, and the most that was held at once.
    """
    total = len(jobs.submit_s)
    s = state.idle(jobs, nodes, pool_kb, rules.shares)
    plan = queue.no_plan(rules.backfilling, total, min(nodes, total) + 1)
    lost_s[:] = 0.0
    return _events(s, plan, jobs, pool_kb, rules, start_s, end_s, lost_s)


@leaf
def _events(s, plan, jobs, pool_kb, rules, start_s, end_s, lost_s):
    """The event loop of `run`, on a machine on which nobody runs yet."""
    total = len(jobs.submit_s)
    submitted, ended, before_s, held, most = 0, 0, 0.0, 0.0, 0
    arrival_s, pending = np.inf, False
    while ended < total:
        now_s = min(jobs.submit_s[submitted] if submitted < total else np.inf, arrival_s)
        if s.count[EVENTS] > 0:
            now_s = min(now_s, s.next_s[s.heap[0]])
        edge_s = now_s + INSTANT_S
        held += float(pool_kb - s.count[FREE_KB]) * (now_s - before_s)
        before_s = now_s
        arrived = arrival_s < edge_s
        if arrived:
            pool.arrive(s)
            arrival_s = np.inf
        ends, changed = _end_steps(s, jobs, now_s, edge_s, rules, start_s, end_s)
        ended += ends
        new = 0
        while submitted < total and jobs.submit_s[submitted] < edge_s:
            if s.count[TAIL] == len(s.queue):
                raise IndexError("the queue has no room for another job")
            s.queue[s.count[TAIL]] = submitted
            s.count[TAIL] += 1
            submitted += 1
            new += 1
        if rules.shares:
            running = s.count[LISTED]
            if ends > 0 or new > 0:
                queue.schedule(s, jobs, plan, now_s, -1 if ends > 0 else new, start_s, rules)
            pending |= changed or s.count[LISTED] > running
            if pending and arrival_s == np.inf:
                pending = False
                due_s = pool.share(s, jobs, now_s, pool_kb, rules.tau_s)
                arrived |= due_s >= 0.0
                arrival_s = due_s if rules.tau_s > 0.0 and due_s >= 0.0 else np.inf
            if arrived or changed or s.count[LISTED] > running:
                for i in range(s.count[LISTED]):
                    state.moved(s, jobs, s.listed[i], now_s, rules.alpha)
        else:
            if changed:
                pool.grant(s, jobs, now_s, rules, start_s, lost_s)
            queue.schedule(s, jobs, plan, now_s, -1 if changed else new, start_s, rules)
        most = max(most, pool_kb - s.count[FREE_KB])
    return held, most


@inlined
def _end_steps(s, jobs, now_s, edge_s, rules, start_s, end_s):
    """Steps that end now give way to the next ones; returns how many jobs end, and whether any step does."""
    ends, changed = 0, False
    while s.count[EVENTS] > 0 and s.next_s[s.heap[0]] < edge_s:
        changed = True
        job = s.heap[0]
        k = s.step[job] + 1
        if k == jobs.first_step[job + 1]:
            end_s[job] = now_s
            ends += 1
            state.leave(s, jobs, job, rules.shares)
            continue
        s.step[job], s.begun_s[job] = k, now_s
        if rules.shares:
            # Its speed is known when the pool has been shared.
            s.next_s[job] = np.inf
            state.down(s, 0)
            continue
        wanted = max(jobs.step_kb[k], s.least_kb[job])
        if s.held_kb[job] > wanted:
            s.count[FREE_KB] += s.held_kb[job] - wanted
            s.held_kb[job] = wanted
        if s.held_kb[job] < wanted:
            pool.lacks(s, job, start_s)
        else:
            state.unlist(s, job)
        state.proceed(s, jobs, job, now_s, rules.alpha)
        state.down(s, 0)
    return ends, changed
