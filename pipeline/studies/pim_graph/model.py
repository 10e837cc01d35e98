"""The machine of thesis chapter 7: P stacks of memory, a core each, work queued level by level.

One compiled engine runs every policy: a policy is a choice of destination, of what is checked before an element is
enqueued, of the queue, and of stealing. Equations and readings: docs/models/pim_graph.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

BFS, SSSP, BC = range(3)
ROUND_ROBIN, OWNER = range(2)
NONE, LOCAL, ALL = range(3)
UNREACHED = np.iinfo(np.int64).max


class Policy(NamedTuple):
    """How a policy places work.

    destination: queue of a neighbour (ROUND_ROBIN or OWNER); checked: neighbours whose state is looked at before they
    are enqueued; with ALL the state is written at once, otherwise an element is checked when it is dequeued; unique:
    the queues are hash sets; steals: an idle core takes the head of the fullest queue.
    """

    destination: int
    checked: int
    unique: bool
    steals: bool


class Cost(NamedTuple):
    """Cycles of the machine: local and remote access, queue service, interval of enqueues, a task's own work, that of a
    discarded element; software: the queues' pointers are moved by atomics; per_task: these reserve slots once a task and
    queue, and the core waits; mlp: remote accesses of a set that are under way at once (0 = all)."""

    ql: int
    qr: int
    s: int
    e: int
    cl: int
    cd: int
    software: bool
    per_task: bool
    mlp: int


class Graph(NamedTuple):
    """Directed graph as compressed sparse rows; targets ascend within a row."""

    first: np.ndarray
    target: np.ndarray
    weight: np.ndarray


@njit(cache=True)
def serialised(remote: int, mlp: int) -> int:
    """Round trips that a set of remote accesses takes."""
    if remote == 0 or mlp == 0:
        return min(remote, 1)
    return (remote + mlp - 1) // mlp


@njit(cache=True)
def next_core(clock, head, tail, steals):
    """The core that acts next: of those that have work, or may steal some, the one with the smallest clock; -1: none."""
    some = False
    for p in range(len(clock)):
        some |= head[p] < tail[p]
    found = -1
    if some:
        for p in range(len(clock)):
            if (steals or head[p] < tail[p]) and (found < 0 or clock[p] < clock[found]):
                found = p
    return found


@njit(cache=True)
def queue_for(core, head, tail):
    """The core's own queue, or the fullest where that is empty."""
    if head[core] < tail[core]:
        return core
    fullest = 0
    for q in range(1, len(head)):
        if tail[q] - head[q] > tail[fullest] - head[fullest]:
            fullest = q
    return fullest


@njit(cache=True)
def forward(
    algorithm, policy, cost, stacks, graph, root, start, pointer, state, sigma, saved, saved_end,
):  # fmt: skip
    """Run the levels of one traversal from `root`, which begins at cycle `start`.

    pointer: int64[stacks], round-robin pointers, moved on; state: int64[n], UNREACHED where not known, distances
    written; sigma: float64[n] of BC (empty otherwise), paths from the root; saved: int64[n] and saved_end: int64[levels
    + 1, stacks] of BC, the queues of each level one after another (empty otherwise).

    Returns the cycle of the end, words accessed locally and remotely, and int64[levels, 5]: cycles, tasks, enqueues,
    most and total busy cycles of a core.
    """
    n = len(graph.first) - 1
    block = max(1, (n + stacks - 1) // stacks)
    eager = policy.checked == ALL
    far = cost.qr - cost.ql
    trips = 2 if cost.software and not cost.per_task else 1
    queue_words = 2 if cost.software else 1
    local, remote = 0, 0
    levels = np.zeros((64, 5), np.int64)
    level = 0
    pull = np.empty(1, np.int64)
    pull_value = np.zeros(1, np.int64)
    pull[0] = root
    head, tail = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    for q in range(root // block, stacks):
        tail[q] = 1
        if q > root // block:
            head[q] = 1
    if eager:
        state[root] = 0
    if algorithm == BC:
        sigma[root] = 1.0
    place = np.full(n if policy.unique else 0, -1, np.int64)
    capacity = 1024
    made, made_value = np.empty(capacity, np.int64), np.empty(capacity, np.int64)
    made_arrival = np.empty(capacity, np.int64)
    made_from, made_to = np.empty(capacity, np.int8), np.empty(capacity, np.int8)
    clock, busy = np.empty(stacks, np.int64), np.empty(stacks, np.int64)
    reserved = np.zeros(stacks, np.int64)
    tasks_before = 0
    T = start
    while tail[stacks - 1] > 0:
        if algorithm == BC:
            for q in range(stacks):
                for i in range(head[q], tail[q]):
                    saved[tasks_before + i] = pull[i]
                saved_end[level, q] = tasks_before + tail[q]
            tasks_before += tail[stacks - 1]
        count, tasks = 0, 0
        for p in range(stacks):
            works = head[p] < tail[p]
            clock[p] = T + ((2 if cost.software else 1) * cost.ql if works else 0)
            busy[p] = 0
        while True:
            p = next_core(clock, head, tail, policy.steals)
            if p < 0:
                break
            q = queue_for(p, head, tail)
            v, value = pull[head[q]], pull_value[head[q]]
            head[q] += 1
            tasks += 1
            began = clock[p]
            if q != p:
                clock[p] += (2 if cost.software else 1) * cost.qr
                remote += queue_words
            else:
                local += queue_words
            home = v // block
            away = 1 if home != p else 0
            words = 0  # at the owner of v
            trip = 0
            if not eager:
                trip += away
                words += 1
                if state[v] <= value:
                    clock[p] += cost.s + cost.cd + away * far
                    busy[p] += clock[p] - began
                    if away:
                        remote += words
                    else:
                        local += words
                    continue
                state[v] = value
                words += 1
            elif algorithm != BFS:
                words += 1
            value = state[v]
            low, high = graph.first[v], graph.first[v + 1]
            words += 1 + high - low
            trip += 2 * away
            while count + high - low > capacity:
                capacity *= 2
                made, made_value = _grown(made, capacity), _grown(made_value, capacity)
                made_arrival = _grown(made_arrival, capacity)
                made_from, made_to = _grown8(made_from, capacity), _grown8(made_to, capacity)
            before = count
            far_checks, far_paths = 0, 0
            for e in range(low, high):
                w = graph.target[e]
                at = w // block
                reached = value + (graph.weight[e] if algorithm == SSSP else 1)
                if eager or (policy.checked == LOCAL and at == p):
                    wanted = state[w] > reached if algorithm == SSSP else state[w] == UNREACHED
                    access = 1
                    if at != p:
                        far_checks += 1
                    if eager and wanted:
                        state[w] = reached
                        access = 2
                    if algorithm == BC and state[w] == reached:
                        sigma[w] += sigma[v]
                        access += 1
                        words += 1
                        if at != p:
                            far_paths += 1
                    if at == p:
                        local += access
                    else:
                        remote += access
                    if not wanted:
                        continue
                if policy.destination == ROUND_ROBIN:
                    at = pointer[p]
                    pointer[p] = at + 1 if at + 1 < stacks else 0
                made[count], made_value[count], made_from[count], made_to[count] = w, reached, p, at
                count += 1
            trip += serialised(far_checks, cost.mlp) + serialised(far_paths, cost.mlp)
            clock[p] += cost.s + cost.cl + trip * far
            if away:
                remote += words
            else:
                local += words
            if cost.per_task:
                reserved[:] = 0
                for j in range(before, count):
                    if not reserved[made_to[j]]:
                        reserved[made_to[j]] = 1
                        clock[p] += cost.ql if made_to[j] == p else cost.qr
                        if made_to[j] == p:
                            local += 1
                        else:
                            remote += 1
            per_enqueue = 1 if cost.per_task else queue_words
            for j in range(before, count):
                near = made_to[j] == p
                made_arrival[j] = clock[p] + (j - before) * cost.e + trips * (cost.ql if near else cost.qr)
                if near:
                    local += per_enqueue
                else:
                    remote += per_enqueue
            clock[p] += (count - before) * cost.e
            busy[p] += clock[p] - began
        end = clock.max()
        pull, pull_value, last, kept_words = _arrived(
            stacks, count, made, made_value, made_arrival, made_from, made_to, head, tail, cost.s, policy.unique, place
        )
        local += kept_words
        end = max(end, last)
        if level == len(levels):
            longer = np.zeros((2 * level, 5), np.int64)
            longer[:level] = levels
            levels = longer
        levels[level, 0], levels[level, 1], levels[level, 2] = end - T, tasks, count
        levels[level, 3], levels[level, 4] = busy.max(), busy.sum()
        level += 1
        T = end
    return T, local, remote, levels[:level]


@njit(cache=True)
def _grown(values, capacity):
    longer = np.empty(capacity, np.int64)
    longer[: len(values)] = values
    return longer


@njit(cache=True)
def _grown8(values, capacity):
    longer = np.empty(capacity, np.int8)
    longer[: len(values)] = values
    return longer


@njit(cache=True)
def _arrived(
    stacks, count, made, made_value, made_arrival, made_from, made_to, head, tail, service, unique, place
):  # fmt: skip
    """Queues of the next level, in the order of (arrival, source, issue): what enters each takes `service` cycles.

    From one source to one queue elements arrive in the order of issue, so each queue merges `stacks` sorted streams.
    Returns elements and values of all queues, one queue after another, whose ends are written to head and tail; the
    last finish; words that hash sets accessed.
    """
    at = np.zeros(stacks * stacks + 1, np.int64)
    for j in range(count):
        at[made_to[j] * stacks + made_from[j] + 1] += 1
    for k in range(stacks * stacks):
        at[k + 1] += at[k]
    slot = at[:-1].copy()
    order = np.empty(count, np.int64)
    for j in range(count):
        k = made_to[j] * stacks + made_from[j]
        order[slot[k]] = j
        slot[k] += 1
    pull, value = np.empty(count, np.int64), np.empty(count, np.int64)
    total, last, words = 0, 0, 0
    turn = np.empty(stacks, np.int64)
    for q in range(stacks):
        head[q] = total
        finish = 0
        for p in range(stacks):
            turn[p] = at[q * stacks + p]
        for _ in range(at[(q + 1) * stacks] - at[q * stacks]):
            best, earliest = -1, 0
            for p in range(stacks):
                if turn[p] < at[q * stacks + p + 1]:
                    arrival = made_arrival[order[turn[p]]]
                    if best < 0 or arrival < earliest:
                        best, earliest = p, arrival
            j = order[turn[best]]
            turn[best] += 1
            finish = max(finish, earliest) + service
            w = made[j]
            if unique:
                words += 1
                where = place[w]
                if head[q] <= where < total and pull[where] == w:
                    if made_value[j] < value[where]:
                        value[where] = made_value[j]
                        words += 1
                    continue
                place[w] = total
                words += 1
            pull[total], value[total] = w, made_value[j]
            total += 1
        tail[q] = total
        last = max(last, finish)
    return pull[:total], value[:total], last, words


@njit(cache=True)
def backward(policy, cost, stacks, graph, start, state, sigma, delta, saved, saved_end, levels):
    """Dependencies of BC, deepest level first, over the queues that the forward pass left.

    delta: float64[n], zeros, written. Returns the cycle of the end, words accessed locally and remotely, and int64[
    levels, 2]: most and total busy cycles of a core.
    """
    n = len(graph.first) - 1
    block = max(1, (n + stacks - 1) // stacks)
    far = cost.qr - cost.ql
    twice = 2 if cost.software else 1
    local, remote = 0, 0
    head, tail = np.empty(stacks, np.int64), np.empty(stacks, np.int64)
    clock, busy = np.empty(stacks, np.int64), np.empty(stacks, np.int64)
    work = np.zeros((levels, 2), np.int64)
    T = start
    for level in range(levels - 1, -1, -1):
        for q in range(stacks):
            head[q] = saved_end[level, q - 1] if q else (saved_end[level - 1, stacks - 1] if level else 0)
            tail[q] = saved_end[level, q]
            clock[q] = T + (twice * cost.ql if head[q] < tail[q] else 0)
            busy[q] = 0
        while True:
            p = next_core(clock, head, tail, policy.steals)
            if p < 0:
                break
            q = queue_for(p, head, tail)
            v = saved[head[q]]
            head[q] += 1
            began = clock[p]
            if q != p:
                clock[p] += twice * cost.qr
                remote += twice
            else:
                local += twice
            away = 1 if v // block != p else 0
            words, far_successors = 2, 0
            for e in range(graph.first[v], graph.first[v + 1]):
                w = graph.target[e]
                if state[w] == state[v] + 1:
                    delta[v] += sigma[v] / sigma[w] * (1 + delta[w])
                    words += 1
                    if w // block != p:
                        far_successors += 1
                        remote += 1
                    else:
                        local += 1
            if away:
                remote += words
            else:
                local += words
            clock[p] += cost.s + cost.cl + (2 * away + serialised(far_successors, cost.mlp)) * far
            busy[p] += clock[p] - began
        T = clock.max()
        work[level, 0], work[level, 1] = busy.max(), busy.sum()
    return T, local, remote, work
