"""The second pass of BC: dependencies, from the deepest level to the root."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.pim_graph.model import (
    ALL,
    ALWAYS,
    LARGEST,
    WORTHWHILE,
    Cost,
    Graph,
    Policy,
    begin_level,
    block_of,
    division,
    fullest,
    serialised,
    thief,
)  # fmt: skip


@njit(cache=True)
def backward(policy: Policy, cost: Cost, stacks: int, graph: Graph, start: int, state, sigma, delta, saved, saved_end,
             levels: int):  # fmt: skip
    """Dependencies of BC (Brandes, 2001), deepest level first, over the queues that the forward pass left.

    start: cycle at which it begins; state, sigma, saved, saved_end: as `forward` left them; delta: float64[n], zeros,
    written; levels: levels of the forward pass. Returns the cycle of the end, words accessed locally and remotely, and
    int64[2]: sums over levels of the most and of all busy cycles.
    """
    block = block_of(len(graph.first) - 1, stacks)
    factor, shift = division(block)
    first, target = graph.first, graph.target
    of_dequeue = 2 if cost.software else 1
    further = cost.qr - cost.ql
    gain = of_dequeue * cost.qr + (2 if policy.checked == ALL else 3) * further
    clock, busy = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    head, tail, ready = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    own, work = np.zeros(3, np.int64), np.zeros(2, np.int64)
    own[2] = cost.s + cost.cl
    local, remote = 0, 0
    now = start
    for level in range(levels - 1, -1, -1):
        for q in range(stacks):
            head[q] = saved_end[level, q - 1] if q else (saved_end[level - 1, stacks - 1] if level else 0)
            tail[q] = saved_end[level, q]
        begin_level(now, of_dequeue * cost.ql, clock, busy, head, tail)
        left, idle = 0, 0
        for p in range(stacks):
            works = head[p] < tail[p]
            ready[p] = clock[p] if works or policy.steals == ALWAYS else LARGEST
            left += tail[p] - head[p]
            idle += not works
        while left > 0:
            p, soonest = 0, ready[0]
            for k in range(1, stacks):
                p = k if ready[k] < soonest else p
                soonest = min(ready[k], soonest)
            if idle and policy.steals == WORTHWHILE:
                p = thief(p, gain, clock, head, tail, own)
            stolen = head[p] == tail[p]
            q, took = p, 0
            if stolen:
                q = fullest(head, tail)
                took = of_dequeue * cost.qr
                remote += of_dequeue
            else:
                local += of_dequeue
            v = saved[head[q]]
            head[q] += 1
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
            took += cost.s + cost.cl + (2 * far_vertex + serialised(far_successors, cost.mlp)) * further
            clock[p] += took
            busy[p] += took
            if not stolen:
                own[0] += took
                own[1] += 1
            if head[q] == tail[q]:
                idle += 1
                if policy.steals != ALWAYS:
                    ready[q] = LARGEST
            if ready[p] != LARGEST:
                ready[p] = clock[p]
        now = clock.max()
        work[0] += busy.max()
        work[1] += busy.sum()
    return now, local, remote, work
