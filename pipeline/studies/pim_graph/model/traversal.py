"""A traversal from one root, level by level: BFS, SSSP, and the first pass of BC."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.simulation.arrays import copy
from pipeline.studies.pim_graph.model.cores import Decisions, begin_level
from pipeline.studies.pim_graph.model.graph import Graph
from pipeline.studies.pim_graph.model.queues import Room, arrive, longer_room
from pipeline.studies.pim_graph.model.tasks import by_clock, core_by_core
from pipeline.studies.pim_graph.rules import ALL, BC, Machine, Scenario

CYCLES, TASKS, ENQUEUES, MOST_BUSY, ALL_BUSY = range(5)
"""Columns of the levels that `forward` returns."""


@njit(cache=True)
def forward(
    scenario: Scenario, decisions: Decisions, graph: Graph, root: int, start: int, state, sigma, saved, saved_end,
    space: Room,
):  # fmt: skip
    """Run the levels of one traversal from `root`, which begins at cycle `start`.

    state: of weight's dtype [n], graph.unreached, distances written; sigma: float64[n] of BC (empty otherwise), zeros,
    paths from the root written; saved: int32[n] and saved_end: int64[levels, stacks] of BC, the queues of each level
    one after another (empty otherwise); space: of any length.

    Returns the cycle of the end, words accessed locally and remotely, int64[levels, 5] with columns CYCLES, …, and the
    room, which may have grown. A wrong decision ends it, too, and is in `decisions.fault`.
    """
    stacks, is_bc = scenario.stacks, scenario.algorithm == BC
    clock, busy = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    head, tail = np.zeros(stacks, np.int64), np.zeros(stacks, np.int64)
    own, words = np.zeros(2, np.int64), np.zeros(2, np.int64)  # words: local, remote
    levels = np.zeros((64, 5), np.int64)
    level, saved_count, pulled = 0, 0, 1
    space.pull[0], space.pull_value[0] = root, 0
    owner = root // scenario.block
    head[owner + 1 :], tail[owner:] = 1, 1
    if scenario.checked == ALL:
        state[root] = 0
    if is_bc:
        sigma[root] = 1.0
    place = np.full(len(state) if scenario.unique else 0, -1, np.int32)
    any_order = scenario.checked != ALL and not decisions.places and not decisions.steals
    now = start
    while pulled > 0:
        if is_bc:
            copy(space.pull[:pulled], saved[saved_count : saved_count + pulled])
            for p in range(stacks):
                saved_end[level, p] = saved_count + tail[p]
            saved_count += pulled
        if level == len(levels):
            longer = np.zeros((2 * level, 5), np.int64)
            for row in range(level):
                copy(levels[row], longer[row])
            levels = longer
        begin_level(now, scenario, clock, busy, head, tail)
        count, least = 0, 1
        while least:
            machine = Machine(level, clock, busy, head, tail, space.pull, own, graph.first)
            if any_order:
                count, least = core_by_core(scenario, graph, machine, state, words, space, count)
            else:
                count, least = by_clock(scenario, decisions, graph, machine, state, sigma, words, space, count)
            if least:
                space = longer_room(space, least, state)
        if decisions.fault[0]:
            break
        levels[level, TASKS], levels[level, ENQUEUES] = pulled, count
        levels[level, MOST_BUSY], levels[level, ALL_BUSY] = busy.max(), busy.sum()
        end = clock.max()
        pulled, last, lookups = arrive(space, count, head, tail, scenario.s, scenario.unique, place)
        words[0] += lookups
        end = max(end, last)
        levels[level, CYCLES] = end - now
        level += 1
        now = end
    return now, words[0], words[1], levels[:level], space
