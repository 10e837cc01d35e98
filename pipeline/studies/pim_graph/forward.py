"""A traversal from one root, level by level: BFS, SSSP, and the first pass of BC."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.pim_graph.model import (
    ALL,
    BC,
    BFS,
    LOCAL,
    ROUND_ROBIN,
    SSSP,
    UNREACHED,
    Cost,
    Graph,
    Policy,
    begin_level,
    block_of,
    fullest,
    next_core,
    serialised,
)  # fmt: skip
from pipeline.studies.pim_graph.queues import arrive, longer_room, room

CYCLES, TASKS, ENQUEUES, MOST_BUSY, ALL_BUSY = range(5)
"""Columns of the levels that `forward` returns."""


@njit(cache=True)
def forward(
    algorithm: int, policy: Policy, cost: Cost, stacks: int, graph: Graph, root: int, start: int, pointer, state, sigma,
    saved, saved_end,
):  # fmt: skip
    """Run the levels of one traversal from `root`, which begins at cycle `start`.

    pointer: int64[stacks], round-robin pointers, moved on; state: int64[n], UNREACHED, distances written; sigma:
    float64[n] of BC (empty otherwise), zeros, paths from the root written; saved: int64[n] and saved_end: int64[levels,
    stacks] of BC, the queues of each level one after another (empty otherwise).

    Returns the cycle of the end, words accessed locally and remotely, and int64[levels, 5], columns CYCLES, ….
    """
    block = block_of(len(graph.first) - 1, stacks)
    clock, busy = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    head, tail = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    own = np.zeros(2, np.int64)
    words = np.zeros(2, np.int64)  # local, remote
    levels = np.zeros((64, 5), np.int64)
    level, saved_count = 0, 0
    pull, pull_value = np.full(1, root), np.zeros(1, np.int64)
    for q in range(root // block, stacks):
        tail[q] = 1
        head[q] = 1 if q > root // block else 0
    if policy.checked == ALL:
        state[root] = 0
    if algorithm == BC:
        sigma[root] = 1.0
    place = np.full(len(state) if policy.unique else 0, -1, np.int64)
    issued = room(1024)
    now = start
    while len(pull) > 0:
        if algorithm == BC:
            saved[saved_count : saved_count + len(pull)] = pull
            saved_end[level, :] = saved_count + tail
            saved_count += len(pull)
        if level == len(levels):
            longer = np.zeros((2 * level, 5), np.int64)
            longer[:level] = levels
            levels = longer
        begin_level(now, cost, clock, busy, head, tail)
        count, tasks = 0, 0
        while True:
            p = next_core(policy, cost, clock, head, tail, own)
            if p < 0:
                break
            q = p if head[p] < tail[p] else fullest(head, tail)
            began = clock[p]
            v, value = pull[head[q]], pull_value[head[q]]
            head[q] += 1
            tasks += 1
            clock[p] += dequeue(p != q, cost, words)
            v_at = 0 if v // block == p else 1
            if policy.checked != ALL and not lowers(state, v, value, v_at, words):
                clock[p] += cost.s + cost.cd + v_at * (cost.qr - cost.ql)
                end_task(p, q, clock[p] - began, busy, own)
                continue
            past = count + graph.first[v + 1] - graph.first[v]
            if past > len(issued.vertex):
                issued = longer_room(issued, count, past)
            before = count
            count, trips = expand(
                algorithm, policy, cost, graph, block, p, v, pointer, state, sigma, words, issued, count
            )  # fmt: skip
            clock[p] += cost.s + cost.cl + trips * (cost.qr - cost.ql)
            if count > before:
                clock[p] = enqueue(clock[p], stacks, p, cost, words, issued, before, count)
            end_task(p, q, clock[p] - began, busy, own)
        end = clock.max()
        levels[level, TASKS], levels[level, ENQUEUES] = tasks, count
        levels[level, MOST_BUSY], levels[level, ALL_BUSY] = busy.max(), busy.sum()
        pull, pull_value, last, kept = arrive(issued, count, head, tail, cost.s, policy.unique, place)
        words[0] += kept
        end = max(end, last)
        levels[level, CYCLES] = end - now
        level += 1
        now = end
    return now, words[0], words[1], levels[:level]


@njit(cache=True)
def dequeue(stolen, cost, words):
    """Count the words of a dequeue; returns the cycles that it keeps the core, a prefetched one none."""
    words[1 if stolen else 0] += 2 if cost.software else 1
    return (2 if cost.software else 1) * cost.qr if stolen else 0


@njit(cache=True)
def end_task(core, queue, took, busy, own):
    """Account for the cycles that a task took."""
    busy[core] += took
    if core == queue:
        own[0] += took
        own[1] += 1


@njit(cache=True)
def lowers(state, v, value, v_at, words):
    """Whether an element lowers the state of its vertex, which it then does."""
    passes = value < state[v]
    if passes:
        state[v] = value
    words[v_at] += 2 if passes else 1
    return passes


@njit(cache=True, inline="always")
def expand(algorithm, policy, cost, graph, block, p, v, pointer, state, sigma, words, issued, count):
    """Visit the neighbours of v on core p, and put those to be enqueued behind the first `count` issued.

    Returns the number of issued elements, and remote accesses one after the other (X). Arrivals are set by `enqueue`.
    """
    eager = policy.checked == ALL
    v_at = 0 if v // block == p else 1
    first, past = graph.first[v], graph.first[v + 1]
    # In registers: adding to an array for each neighbour takes longer than all the rest.
    of_v = 1 + past - first + (1 if eager and algorithm != BFS else 0)
    local, remote = 0, 0
    value = state[v]
    vertex, candidate, source, queue = issued.vertex, issued.value, issued.source, issued.queue
    target, weight = graph.target, graph.weight
    far_checks, far_paths = 0, 0
    for e in range(first, past):
        w = target[e]
        owner = w // block
        reached = value + (weight[e] if algorithm == SSSP else 1)
        if eager or (policy.checked == LOCAL and owner == p):
            known = state[w]
            wanted = reached < known if algorithm == SSSP else known == UNREACHED
            accesses = 1
            if eager and wanted:
                state[w] = reached
                known = reached
                accesses = 2
            if algorithm == BC and known == reached:
                sigma[w] += sigma[v]
                accesses += 1
                of_v += 1
                far_paths += owner != p
            if owner == p:
                local += accesses
            else:
                far_checks += 1
                remote += accesses
            if not wanted:
                continue
        if policy.destination == ROUND_ROBIN:
            owner = pointer[p]
            pointer[p] = owner + 1 if owner + 1 < len(pointer) else 0
        vertex[count], candidate[count], source[count], queue[count] = w, reached, p, owner
        count += 1
    words[0] += local
    words[1] += remote
    words[v_at] += of_v
    trips = (2 if eager else 3) * v_at + serialised(far_checks, cost.mlp) + serialised(far_paths, cost.mlp)
    return count, trips


@njit(cache=True, inline="always")
def enqueue(clock, stacks, p, cost, words, issued, before, count):
    """Issue the elements from `before` to `count`, one every E cycles, after their slots where these are reserved.

    clock: cycle at which core p begins with it. Returns the cycle at which it is done.
    """
    queue, arrival = issued.queue, issued.arrival
    if cost.software and cost.per_task:
        asked = np.zeros(stacks, np.bool_)
        wait = 0
        for j in range(before, count):
            q = queue[j]
            if not asked[q]:
                asked[q] = True
                words[0 if q == p else 1] += 1
                wait = max(wait, cost.ql if q == p else cost.qr)
        clock += wait
    each = 2 if cost.software and not cost.per_task else 1
    near = 0
    for j in range(before, count):
        own = queue[j] == p
        near += own
        arrival[j] = clock + each * (cost.ql if own else cost.qr)
        clock += cost.e
    words[0] += near * each
    words[1] += (count - before - near) * each
    return clock
