"""Where and when jobs run: whole nodes for most, and nodes that small jobs share."""

from __future__ import annotations

import numpy as np
from numba import njit

SLOTS = 32
"""Most jobs on one shared node: the smallest asks for 4 of 128 hardware threads."""


@njit(cache=True)
def place(submit_s, run_s, width, cpus, nodes, cpus_per_node):
    """Start (s) of every job and its nodes, one job after the other.

    Jobs are placed in the order given. A job that needs whole nodes reserves those that are the last to be free before
    it can start, which leaves the least idle. One that needs a part joins the fullest shared node with room, else
    opens one. Nobody has room on a node that another has whole.
    """
    free_at = np.full(nodes, np.iinfo(np.int64).min)
    order = np.arange(nodes)
    is_open = np.zeros(nodes, np.bool_)
    last_start = np.zeros(nodes, np.int64)
    slot_end = np.full((nodes, SLOTS), np.iinfo(np.int64).min)
    slot_cpus = np.zeros((nodes, SLOTS), np.int64)
    start_s = np.empty_like(submit_s)
    node = np.empty(width.sum(), np.int64)
    written = 0
    for job in range(submit_s.size):
        if cpus[job] == cpus_per_node:
            w = width[job]
            start = max(submit_s[job], free_at[order[w - 1]])
            last = _free_nodes(order, free_at, start)
            chosen = np.sort(order[last - w : last])
            end = start + run_s[job]
            _advance(order, free_at, last - w, w, end)
            for n in chosen:
                free_at[n] = end
                is_open[n] = False
        else:
            n, start = _room(submit_s[job], cpus[job], cpus_per_node, is_open, last_start, slot_end, slot_cpus)
            if n < 0:
                start = max(submit_s[job], free_at[order[0]])
                n = order[_free_nodes(order, free_at, start) - 1]
                is_open[n] = True
                slot_end[n, :] = np.iinfo(np.int64).min
            end = start + run_s[job]
            slot = np.argmin(slot_end[n])
            slot_end[n, slot], slot_cpus[n, slot], last_start[n] = end, cpus[job], start
            if end > free_at[n]:
                at = 0
                while order[at] != n:
                    at += 1
                _advance(order, free_at, at, 1, end)
                free_at[n] = end
            chosen = np.array([n])
        start_s[job] = start
        node[written : written + chosen.size] = chosen
        written += chosen.size
    return start_s, node


@njit(cache=True)
def _free_nodes(order, free_at, time):
    """Number of nodes that are free at a time; `order` has the nodes by when they are."""
    low, high = 0, order.size
    while low < high:
        middle = (low + high) // 2
        if free_at[order[middle]] <= time:
            low = middle + 1
        else:
            high = middle
    return low


@njit(cache=True)
def _advance(order, free_at, first, count, end):
    """Move `count` nodes of the order to where nodes stand that are free at `end`."""
    moved = order[first : first + count].copy()
    at = first + count
    while at < order.size and free_at[order[at]] <= end:
        order[at - count] = order[at]
        at += 1
    order[at - count : at] = moved


@njit(cache=True)
def _room(submit, cpus, cpus_per_node, is_open, last_start, slot_end, slot_cpus):
    """The shared node where a job starts first, the fullest of several; (-1, 0) where none is in use with room."""
    best, best_start, best_used = -1, 0, 0
    for n in range(is_open.size):
        if not is_open[n]:
            continue
        start = max(submit, last_start[n])
        used, taken = 0, 0
        for slot in range(SLOTS):
            if slot_end[n, slot] > start:
                used += slot_cpus[n, slot]
                taken += 1
        if used == 0:
            is_open[n] = False
        elif (
            used + cpus <= cpus_per_node
            and taken < SLOTS
            and (best < 0 or start < best_start or (start == best_start and used > best_used))
        ):
            best, best_start, best_used = n, start, used
    return best, best_start


@njit(cache=True)
def by_node(first, node, start_s, nodes):
    """Jobs of each node by start: positions first_of[n]..first_of[n + 1] of the jobs returned."""
    first_of = np.zeros(nodes + 1, np.int64)
    for n in node:
        first_of[n + 1] += 1
    first_of = np.cumsum(first_of)
    at = first_of[:-1].copy()
    jobs = np.empty(node.size, np.int64)
    for job in np.argsort(start_s, kind="mergesort"):
        for n in node[first[job] : first[job + 1]]:
            jobs[at[n]] = job
            at[n] += 1
    return first_of, jobs


@njit(cache=True)
def overlaps(first_of, jobs, start_s, end_s, visible):
    """Whether each job runs on some node at the same time as another; jobs that are not visible count for nobody."""
    shares = np.zeros(start_s.size, np.bool_)
    for n in range(first_of.size - 1):
        latest = -1
        for job in jobs[first_of[n] : first_of[n + 1]]:
            if not visible[job]:
                continue
            if latest >= 0 and start_s[job] < end_s[latest]:
                # Those before that still run have, among them, the latest; any other has met one already.
                shares[job] = True
                shares[latest] = True
            if latest < 0 or end_s[job] > end_s[latest]:
                latest = job
    return shares
