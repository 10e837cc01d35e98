"""The second pass of BC: dependencies, from the deepest level to the root."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.pim_graph.model.cores import (
    LARGEST,
    Decisions,
    begin_level,
    following,
    refuse_theft,
    serialised,
    soonest,
)
from pipeline.studies.pim_graph.model.graph import Graph, division
from pipeline.studies.pim_graph.rules import NOBODY, Machine, Scenario


@njit(cache=True)
def backward(scenario: Scenario, decisions: Decisions, graph: Graph, start: int, state, sigma, delta, saved, saved_end,
             levels: int):  # fmt: skip
    """Dependencies of BC (Brandes, 2001), deepest level first, over the queues that the forward pass left.

    start: cycle at which it begins; state, sigma, saved, saved_end: as `forward` left them; delta: float64[n], zeros,
    written; levels: levels of the forward pass. Returns the cycle of the end, words accessed locally and remotely, and
    int64[2]: sums over levels of the most and of all busy cycles. A wrong decision ends it, too.
    """
    stacks, steal, steals = scenario.stacks, decisions.steal, decisions.steals
    memory, elements, fault = decisions.memory, decisions.elements, decisions.fault
    factor, shift = division(scenario.block)
    first, target = graph.first, graph.target
    of_dequeue = 2 if scenario.software else 1
    further = scenario.qr - scenario.ql
    clock, busy = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    head, tail = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    own, work = np.zeros(2, np.int64), np.zeros(2, np.int64)
    local, remote = 0, 0
    now = start
    for level in range(levels - 1, -1, -1):
        for q in range(stacks):
            head[q] = saved_end[level, q - 1] if q else (saved_end[level - 1, stacks - 1] if level else 0)
            tail[q] = saved_end[level, q]
        begin_level(now, scenario, clock, busy, head, tail)
        machine = Machine(level, clock, busy, head, tail, saved, own, first)
        ready = clock if steals else np.where(head < tail, clock, LARGEST)
        left = (tail - head).sum()
        while left > 0:
            p = soonest(ready)
            answer = p
            while steals and head[p] == tail[p]:
                elements[0] = 1
                answer = steal(p, machine, scenario, memory, elements)
                if answer >= 0 or answer < NOBODY:
                    break
                p = following(p, answer, clock, head, tail)
                answer = p
            took = scenario.s + scenario.cl
            at = head[p]
            if answer == p:
                head[p] += 1
                local += of_dequeue
            else:
                held = tail[answer] - head[answer] if 0 <= answer < stacks else 0
                taken = elements[0]
                if taken < 1 or taken > held:
                    refuse_theft(fault, p, answer, taken, held)
                    return now, local, remote, work
                at = head[answer]
                head[answer] = tail[p] = at + taken
                head[p] = at + 1
                took += of_dequeue * scenario.steal
                remote += of_dequeue * taken
                local += of_dequeue * (taken - 1)
            v = saved[at]
            left -= 1
            far_vertex = 1 if (np.int64(v) * factor) >> shift != p else 0
            successors, far_successors = 0, 0
            through, next_level = 0.0, state[v] + 1
            for e in range(first[v], first[v + 1]):
                w = target[e]
                if state[w] == next_level:
                    through += sigma[v] / sigma[w] * (1 + delta[w])
                    successors += 1
                    far_successors += 1 if (np.int64(w) * factor) >> shift != p else 0
            delta[v] = through
            if far_vertex:
                remote += 2 + successors
            else:
                local += 2 + successors
            remote += far_successors
            local += successors - far_successors
            took += (2 * far_vertex + serialised(far_successors, scenario.mlp)) * further
            clock[p] += took
            busy[p] += took
            if answer == p:
                own[0] += took
                own[1] += 1
            if not steals:
                ready[p] = clock[p] if head[p] < tail[p] else LARGEST
        now = clock.max()
        work[0] += busy.max()
        work[1] += busy.sum()
    return now, local, remote, work
