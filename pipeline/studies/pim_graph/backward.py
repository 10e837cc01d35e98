"""The second pass of BC: dependencies, from the deepest level to the root."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.pim_graph.forward import dequeue, end_task
from pipeline.studies.pim_graph.model import (
    Cost,
    Graph,
    Policy,
    begin_level,
    block_of,
    fullest,
    next_core,
    serialised,
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
    clock, busy = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    head, tail = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    own, words, work = np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64)
    now = start
    for level in range(levels - 1, -1, -1):
        for q in range(stacks):
            head[q] = saved_end[level, q - 1] if q else (saved_end[level - 1, stacks - 1] if level else 0)
            tail[q] = saved_end[level, q]
        begin_level(now, cost, clock, busy, head, tail)
        while True:
            p = next_core(policy, cost, clock, head, tail, own)
            if p < 0:
                break
            q = p if head[p] < tail[p] else fullest(head, tail)
            began = clock[p]
            v = saved[head[q]]
            head[q] += 1
            clock[p] += dequeue(p != q, cost, words)
            v_at = 0 if v // block == p else 1
            words[v_at] += 2
            far_successors = 0
            for e in range(graph.first[v], graph.first[v + 1]):
                w = graph.target[e]
                if state[w] == state[v] + 1:
                    delta[v] += sigma[v] / sigma[w] * (1 + delta[w])
                    w_at = 0 if w // block == p else 1
                    words[v_at] += 1
                    words[w_at] += 1
                    far_successors += w_at
            trips = 2 * v_at + serialised(far_successors, cost.mlp)
            clock[p] += cost.s + cost.cl + trips * (cost.qr - cost.ql)
            end_task(p, q, clock[p] - began, busy, own)
        now = clock.max()
        work[0] += busy.max()
        work[1] += busy.sum()
    return now, words[0], words[1], work
