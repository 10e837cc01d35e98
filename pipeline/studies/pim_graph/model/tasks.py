"""One level of a traversal: cores take elements, expand vertices and send their neighbours on.

Both functions stop where what they issue may not fit into the room any more, and go on when called again: an array that
is replaced within a loop would count its references at each use.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.pim_graph.model.cores import (
    LARGEST,
    WRONG_QUEUE,
    Decisions,
    following,
    refuse_theft,
    serialised,
    soonest,
)
from pipeline.studies.pim_graph.model.graph import Graph, division
from pipeline.studies.pim_graph.model.queues import Room, reserve
from pipeline.studies.pim_graph.rules import ALL, BC, BFS, LOCAL, NOBODY, NONE, SSSP, Machine, Scenario


@njit(cache=True)
def core_by_core(scenario: Scenario, graph: Graph, machine: Machine, state, words, space: Room, count: int):
    """A level of a policy that checks late, enqueues at the owner and steals nothing, one core after another.

    Every element lies with its owner, and no core reads or writes a state of another's within a level: in what order
    they act changes nothing. Nothing is remote but enqueues.

    machine: its clock, busy, head are written; state, words (int64[2], local and remote): written; count: elements
    issued so far. Returns the elements issued, and 0 where the level is done, else the length of a room to go on with.
    """
    clock, busy, head, tail = machine.clock, machine.busy, machine.head, machine.tail
    stacks, block = scenario.stacks, scenario.block
    factor, shift = division(block)
    first, target, weight = graph.first, graph.target, graph.weight
    vertex, value_of, arrival, stream = space.vertex, space.value, space.arrival, space.stream
    pull, pull_value = space.pull, space.pull_value
    capacity = len(vertex)
    weighted, checks = scenario.algorithm == SSSP, scenario.checked == LOCAL
    expansion, discard, interval = scenario.s + scenario.cl, scenario.s + scenario.cd, scenario.e
    per_task = scenario.software and scenario.per_task
    of_enqueue = 2 if scenario.software and not per_task else 1
    of_dequeue = 2 if scenario.software else 1
    to_own, to_other = of_enqueue * scenario.ql, of_enqueue * scenario.qr
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
                wait, near, far = reserve(p, at, stream, before, count, asked, scenario.ql, scenario.qr)
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
def by_clock(scenario: Scenario, decisions: Decisions, graph: Graph, machine: Machine, state, sigma, words, space: Room,
             count: int):  # fmt: skip
    """A level of any policy, task by task in the order of the cores' clocks.

    Arguments and result as of `core_by_core`; of machine all but the graph is written; sigma: as of
    `traversal.forward`. A wrong decision ends the level, too, and is in `decisions.fault`.
    """
    clock, busy, head, tail, own = machine.clock, machine.busy, machine.head, machine.tail, machine.own
    places, place, steals, steal = decisions.places, decisions.place, decisions.steals, decisions.steal
    memory, elements, fault = decisions.memory, decisions.elements, decisions.fault
    stacks = scenario.stacks
    factor, shift = division(scenario.block)
    first, target, weight = graph.first, graph.target, graph.weight
    vertex, value_of, arrival, stream = space.vertex, space.value, space.arrival, space.stream
    pull, pull_value = space.pull, space.pull_value
    expansion, discard, interval = scenario.s + scenario.cl, scenario.s + scenario.cd, scenario.e
    further, mlp = scenario.qr - scenario.ql, scenario.mlp
    per_task = scenario.software and scenario.per_task
    of_enqueue = 2 if scenario.software and not per_task else 1
    of_dequeue = 2 if scenario.software else 1
    to_own, to_other = of_enqueue * scenario.ql, of_enqueue * scenario.qr
    eager, checks = scenario.checked == ALL, scenario.checked != NONE
    weighted, counts_paths = scenario.algorithm == SSSP, scenario.algorithm == BC
    reads_state = 1 if eager and scenario.algorithm != BFS else 0
    trips_of_vertex = 2 if eager else 3
    steal_takes = of_dequeue * scenario.steal
    asked = np.full(stacks, -1)
    # When each core may act: one without work never, unless it may steal.
    ready = clock if steals else np.where(head < tail, clock, LARGEST)
    left = (tail - head).sum()
    local, remote, least = 0, 0, 0
    # A rule is asked once: whatever the task, there has to be room for it before.
    last = len(vertex) - graph.most
    while left > 0:
        if count > last:
            least = count + graph.most
            break
        p = soonest(ready)
        answer = p
        while steals and head[p] == tail[p]:
            elements[0] = 1
            answer = steal(p, machine, scenario, memory, elements)
            if answer >= 0 or answer < NOBODY:
                break
            p = following(p, answer, clock, head, tail)
            answer = p
        time = began = clock[p]
        at = head[p]
        if answer == p:
            head[p] += 1
            local += of_dequeue
        else:
            held = tail[answer] - head[answer] if 0 <= answer < stacks else 0
            taken = elements[0]
            if taken < 1 or taken > held:
                refuse_theft(fault, p, answer, taken, held)
                break
            # The first is executed, the others move.
            at = head[answer]
            head[answer] = tail[p] = at + taken
            head[p] = at + 1
            time += steal_takes
            remote += of_dequeue * taken
            local += of_dequeue * (taken - 1)
        v, value = pull[at], pull_value[at]
        begin, end = first[v], first[v + 1]
        left -= 1
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
                vertex[count], value_of[count], stream[count] = w, reached, owner
                count += 1
            remote += on_far
            local += on_neighbours - on_far
            trips = trips_of_vertex * far_vertex + serialised(far_checks, mlp) + serialised(far_paths, mlp)
            time += expansion + trips * further
            if places and count > before:
                place(p, v, vertex[before:count], stream[before:count], machine, scenario, memory)
                for j in range(before, count):
                    if stream[j] < 0 or stream[j] >= stacks:
                        fault[0], fault[1], fault[2], fault[3] = WRONG_QUEUE, p, stream[j], vertex[j]
                if fault[0]:
                    break
            if count > before and per_task:
                wait, near, far = reserve(p, at, stream, before, count, asked, scenario.ql, scenario.qr)
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
        if answer == p:
            own[0] += time - began
            own[1] += 1
        if not steals:
            ready[p] = time if head[p] < tail[p] else LARGEST
    words[0] += local
    words[1] += remote
    return count, least
