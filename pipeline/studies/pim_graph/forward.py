"""A traversal from one root, level by level: BFS, SSSP, and the first pass of BC."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.pim_graph.levels import by_clock, core_by_core
from pipeline.studies.pim_graph.model import (
    ALL,
    BC,
    LOCAL,
    NEVER,
    SSSP,
    Cost,
    Graph,
    Policy,
    begin_level,
    block_of,
)
from pipeline.studies.pim_graph.queues import arrive, longer_room

CYCLES, TASKS, ENQUEUES, MOST_BUSY, ALL_BUSY = range(5)
"""Columns of the levels that `forward` returns."""


@njit(cache=True)
def forward(
    algorithm: int, policy: Policy, cost: Cost, stacks: int, graph: Graph, root: int, start: int, pointer, state, sigma,
    saved, saved_end, space,
):  # fmt: skip
    """Run the levels of one traversal from `root`, which begins at cycle `start`.

    pointer: int64[stacks], round-robin pointers, moved on; state: of weight's dtype [n], model.unreached, distances
    written; sigma: float64[n] of BC (empty otherwise), zeros, paths from the root written; saved: int32[n] and
    saved_end: int64[levels, stacks] of BC, the queues of each level one after another (empty otherwise); space:
    queues.Room of any length.

    Returns the cycle of the end, words accessed locally and remotely, int64[levels, 5] with columns CYCLES, …, and the
    room, which may have grown.
    """
    block = block_of(len(graph.first) - 1, stacks)
    clock, busy = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    head, tail = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    own = np.zeros(3, np.int64)
    own[2] = cost.s + cost.cl
    words = np.zeros(2, np.int64)  # local, remote
    levels = np.zeros((64, 5), np.int64)
    level, saved_count, pulled = 0, 0, 1
    space.pull[0], space.pull_value[0] = root, 0
    for q in range(root // block, stacks):
        tail[q] = 1
        head[q] = 1 if q > root // block else 0
    if policy.checked == ALL:
        state[root] = 0
    if algorithm == BC:
        sigma[root] = 1.0
    place = np.full(len(state) if policy.unique else 0, -1, np.int32)
    now = start
    while pulled > 0:
        if algorithm == BC:
            saved[saved_count : saved_count + pulled] = space.pull[:pulled]
            saved_end[level, :] = saved_count + tail
            saved_count += pulled
        if level == len(levels):
            longer = np.zeros((2 * level, 5), np.int64)
            longer[:level] = levels
            levels = longer
        begin_level(now, (2 if cost.software else 1) * cost.ql, clock, busy, head, tail)
        count, least = 0, 1
        while least:
            if policy.checked != ALL and policy.steals == NEVER:
                count, least = core_by_core(
                    algorithm == SSSP, policy.checked == LOCAL, cost, block, graph, clock, busy, head, tail, state,
                    words, space, count,
                )  # fmt: skip
            else:
                count, least = by_clock(
                    algorithm, policy, cost, block, graph, pointer, clock, busy, head, tail, own, state, sigma, words,
                    space, count,
                )  # fmt: skip
            if least:
                space = longer_room(space, least, state)
        levels[level, TASKS], levels[level, ENQUEUES] = pulled, count
        levels[level, MOST_BUSY], levels[level, ALL_BUSY] = busy.max(), busy.sum()
        end = clock.max()
        pulled, last, kept = arrive(space, count, head, tail, cost.s, policy.unique, place)
        words[0] += kept
        end = max(end, last)
        levels[level, CYCLES] = end - now
        level += 1
        now = end
    return now, words[0], words[1], levels[:level], space
