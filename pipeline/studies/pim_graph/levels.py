"""One level of a traversal: cores take elements, expand vertices and send their neighbours on.

Both functions stop where what they issue may not fit into the room any more, and go on when called again: an array that
is replaced within a loop would count its references at each use.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.pim_graph.model import (
    ALL,
    ALWAYS,
    BC,
    BFS,
    LARGEST,
    NONE,
    ROUND_ROBIN,
    SSSP,
    WORTHWHILE,
    Cost,
    Graph,
    Policy,
    division,
    fullest,
    serialised,
    thief,
)  # fmt: skip
from pipeline.studies.pim_graph.queues import Room, reserve


@njit(cache=True)
def core_by_core(weighted: bool, checks: bool, cost: Cost, block: int, graph: Graph, clock, busy, head, tail, state,
                 words, space: Room, count: int):  # fmt: skip
    """A level of a policy that checks late and steals nothing, one core after another.

    Every element stands at its owner, and no core reads or writes a state of another's within a level: in what order
    they act changes nothing. Nothing is remote but enqueues.

    weighted: SSSP; checks: whether a neighbour of the own stack is looked at before it is enqueued; clock, busy, head,
    tail: as of `model.begin_level`, written; state, words (int64[2], local and remote): written; count: elements issued
    so far. Returns the elements issued, and 0 where the level is done, else the length of a room for it to go on.
    """
    stacks = len(clock)
    factor, shift = division(block)
    first, target, weight = graph.first, graph.target, graph.weight
    vertex, value_of, arrival, stream = space.vertex, space.value, space.arrival, space.stream
    pull, pull_value = space.pull, space.pull_value
    capacity = len(vertex)
    expansion, discard, interval = cost.s + cost.cl, cost.s + cost.cd, cost.e
    per_task = cost.software and cost.per_task
    of_enqueue = 2 if cost.software and not per_task else 1
    of_dequeue = 2 if cost.software else 1
    to_own, to_other = of_enqueue * cost.ql, of_enqueue * cost.qr
    asked = np.full(stacks, -1)
    local, remote, least = 0, 0, 0
    for p in range(stacks):
        time, at, past = clock[p], head[p], tail[p]
        low, high = p * block, (p + 1) * block
        while at < past:
            v, value = pull[at], pull_value[at]
            if value >= state[v]:
                time += discard
                local += 1 + of_dequeue
                at += 1
                continue
            begin, end = first[v], first[v + 1]
            if count + end - begin > capacity:
                least = count + end - begin
                break
            at += 1
            state[v] = value
            time += expansion
            local += 3 + of_dequeue + end - begin
            before = count
            for e in range(begin, end):
                w = target[e]
                reached = value + (weight[e] if weighted else 1)
                if checks and low <= w < high:
                    local += 1
                    if reached >= state[w]:
                        continue
                vertex[count], value_of[count] = w, reached
                stream[count] = (np.int64(w) * factor) >> shift
                count += 1
            if count == before:
                continue
            if per_task:
                wait, near, far = reserve(p, at, stream, before, count, asked, cost.ql, cost.qr)
                time += wait
                local += near
                remote += far
            near = 0
            for j in range(before, count):
                q = stream[j]
                near += q == p
                arrival[j] = time + (to_own if q == p else to_other)
                stream[j] = q * stacks + p
                time += interval
            local += near * of_enqueue
            remote += (count - before - near) * of_enqueue
        busy[p] += time - clock[p]
        clock[p], head[p] = time, at
        if least:
            break
    words[0] += local
    words[1] += remote
    return count, least


@njit(cache=True)
def by_clock(algorithm: int, policy: Policy, cost: Cost, block: int, graph: Graph, pointer, clock, busy, head, tail,
             own, state, sigma, words, space: Room, count: int):  # fmt: skip
    """A level of any policy, task by task in the order of the cores' clocks.

    Arguments and result as of `core_by_core`; pointer, sigma: as of `forward.forward`; own: as of `model.thief`,
    written.
    """
    stacks = len(clock)
    factor, shift = division(block)
    first, target, weight = graph.first, graph.target, graph.weight
    vertex, value_of, arrival, stream = space.vertex, space.value, space.arrival, space.stream
    pull, pull_value = space.pull, space.pull_value
    capacity = len(vertex)
    expansion, discard, interval = cost.s + cost.cl, cost.s + cost.cd, cost.e
    further, mlp = cost.qr - cost.ql, cost.mlp
    per_task = cost.software and cost.per_task
    of_enqueue = 2 if cost.software and not per_task else 1
    of_dequeue = 2 if cost.software else 1
    to_own, to_other = of_enqueue * cost.ql, of_enqueue * cost.qr
    steal = of_dequeue * cost.qr
    eager, checks = policy.checked == ALL, policy.checked != NONE
    turns, steals = policy.destination == ROUND_ROBIN, policy.steals
    weighted, counts_paths = algorithm == SSSP, algorithm == BC
    reads_state = 1 if eager and algorithm != BFS else 0
    trips_of_vertex = 2 if eager else 3
    gain = steal + trips_of_vertex * further
    asked = np.full(stacks, -1)
    # When each core may act: one without work never, or any time where it always steals.
    ready = np.empty(stacks, np.int64)
    left, idle = 0, 0
    for p in range(stacks):
        works = head[p] < tail[p]
        ready[p] = clock[p] if works or steals == ALWAYS else LARGEST
        left += tail[p] - head[p]
        idle += not works
    local, remote, least = 0, 0, 0
    while left > 0:
        p, soonest = 0, ready[0]
        for k in range(1, stacks):
            p = k if ready[k] < soonest else p
            soonest = min(ready[k], soonest)
        if idle and steals == WORTHWHILE:
            p = thief(p, gain, clock, head, tail, own)
        stolen = head[p] == tail[p]
        q = fullest(head, tail) if stolen else p
        at = head[q]
        v, value = pull[at], pull_value[at]
        begin, end = first[v], first[v + 1]
        if count + end - begin > capacity:
            least = count + end - begin
            break
        head[q] = at + 1
        left -= 1
        began = clock[p]
        time = began
        if stolen:
            time += steal
            remote += of_dequeue
        else:
            local += of_dequeue
        far_vertex = 1 if (np.int64(v) * factor) >> shift != p else 0
        expands, on_vertex = True, 0
        if eager:
            value = state[v]
        elif value < state[v]:
            state[v] = value
            on_vertex = 2
        else:
            expands, on_vertex = False, 1
            time += discard + far_vertex * further
        if expands:
            on_vertex += 1 + end - begin + reads_state
            before = count
            on_neighbours, on_far, far_checks, far_paths = 0, 0, 0, 0
            for e in range(begin, end):
                w = target[e]
                owner = (np.int64(w) * factor) >> shift
                reached = value + (weight[e] if weighted else 1)
                if eager:
                    far = 1 if owner != p else 0
                    known = state[w]
                    accesses = 2 if reached < known else 1
                    if counts_paths and reached <= known:
                        sigma[w] += sigma[v]
                        on_vertex += 1
                        accesses += 1
                        far_paths += far
                    far_checks += far
                    on_far += far * accesses
                    on_neighbours += accesses
                    if reached >= known:
                        continue
                    state[w] = reached
                elif checks and owner == p:
                    on_neighbours += 1
                    if reached >= state[w]:
                        continue
                if turns:
                    owner = pointer[p]
                    pointer[p] = owner + 1 if owner + 1 < stacks else 0
                vertex[count], value_of[count], stream[count] = w, reached, owner
                count += 1
            remote += on_far
            local += on_neighbours - on_far
            trips = trips_of_vertex * far_vertex + serialised(far_checks, mlp) + serialised(far_paths, mlp)
            time += expansion + trips * further
            if count > before and per_task:
                wait, near, far = reserve(p, at, stream, before, count, asked, cost.ql, cost.qr)
                time += wait
                local += near
                remote += far
            near = 0
            for j in range(before, count):
                to = stream[j]
                near += to == p
                arrival[j] = time + (to_own if to == p else to_other)
                stream[j] = to * stacks + p
                time += interval
            local += near * of_enqueue
            remote += (count - before - near) * of_enqueue
        if far_vertex:
            remote += on_vertex
        else:
            local += on_vertex
        busy[p] += time - began
        clock[p] = time
        if not stolen:
            own[0] += time - began
            own[1] += 1
        if head[q] == tail[q]:
            idle += 1
            if steals != ALWAYS:
                ready[q] = LARGEST
        if ready[p] != LARGEST:
            ready[p] = time
    words[0] += local
    words[1] += remote
    return count, least
