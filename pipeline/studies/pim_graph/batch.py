"""Scenarios of one graph, one after another in compiled code."""

from __future__ import annotations

import numpy as np
from numba import njit

from pipeline.studies.pim_graph.backward import backward
from pipeline.studies.pim_graph.certificate import (
    another_dependency,
    another_distance,
    wrong_dependency,
    wrong_distance,
)
from pipeline.studies.pim_graph.forward import ALL_BUSY, CYCLES, ENQUEUES, MOST_BUSY, TASKS, forward
from pipeline.studies.pim_graph.model import BC, SSSP, Cost, Graph, Policy, unreached
from pipeline.studies.pim_graph.queues import room

LEVELS, LOCAL_WORDS, REMOTE_WORDS = 5, 6, 7
"""Columns of the totals, after those of `forward.forward`."""


@njit(cache=True)
def run(graph: Graph, algorithm, policy, cost, stacks, first_root, roots, reached, value):
    """Run scenarios, and prove the values of each.

    algorithm, stacks: int64[S]; policy: int64[S, 4] and cost: int64[S, 9], fields of Policy and Cost in their order;
    roots of scenario s: roots[first_root[s]:first_root[s + 1]]. reached (bool[S, n], false) and value (float64[S, n],
    zeros) are written, or have no rows where values are not asked for.

    Values of the first traversal from a root are proved, those of traversals from it that follow are held against them:
    scenarios with the same algorithm and root had better stand together.

    Returns int64[S, 8], columns CYCLES, …, REMOTE_WORDS; int64[rows, 5], levels of all scenarios: scenario, level,
    cycles, tasks, enqueues; int64[S], -1 or a vertex with a wrong value.
    """
    n = len(graph.first) - 1
    scenarios = len(algorithm)
    totals = np.zeros((scenarios, 8), np.int64)
    faults = np.full(scenarios, -1)
    rows = np.empty((1024, 5), np.int64)
    filled = 0
    state, proved = np.empty(n, graph.weight.dtype), np.empty(n, graph.weight.dtype)
    any_bc = (algorithm == BC).any()
    sigma, delta = np.empty(n if any_bc else 0), np.empty(n if any_bc else 0)
    proved_sigma, proved_delta = np.empty(len(sigma)), np.empty(len(sigma))
    saved = np.empty(len(sigma), np.int32)
    proved_root, proved_algorithm = -1, -1
    space = room(1024, state)
    for s in range(scenarios):
        its_policy = Policy(policy[s, 0], policy[s, 1], policy[s, 2] != 0, policy[s, 3])
        c = cost[s]
        its_cost = Cost(c[0], c[1], c[2], c[3], c[4], c[5], c[6] != 0, c[7] != 0, c[8])
        both = algorithm[s] == BC
        saved_end = np.empty((n if both else 0, stacks[s]), np.int64)
        pointer = np.arange(stacks[s])
        now, began = 0, filled
        for r in range(first_root[s], first_root[s + 1]):
            root = roots[r]
            state[:] = unreached(state)
            if both:
                sigma[:], delta[:] = 0.0, 0.0
            now, local, remote, levels, space = forward(
                algorithm[s], its_policy, its_cost, stacks[s], graph, root, now, pointer, state, sigma, saved,
                saved_end, space,
            )  # fmt: skip
            totals[s, LOCAL_WORDS] += local
            totals[s, REMOTE_WORDS] += remote
            totals[s, LEVELS] += len(levels)
            for k in (TASKS, ENQUEUES, MOST_BUSY, ALL_BUSY):
                totals[s, k] += levels[:, k].sum()
            known = root == proved_root and algorithm[s] == proved_algorithm
            fault = (
                another_distance(state, proved) if known else wrong_distance(graph, algorithm[s] == SSSP, root, state)
            )
            if both and fault < 0:
                now, local, remote, work = backward(
                    its_policy, its_cost, stacks[s], graph, now, state, sigma, delta, saved, saved_end, len(levels)
                )
                totals[s, LOCAL_WORDS] += local
                totals[s, REMOTE_WORDS] += remote
                totals[s, MOST_BUSY] += work[0]
                totals[s, ALL_BUSY] += work[1]
                if known:
                    fault = another_dependency(sigma, proved_sigma, delta, proved_delta)
                else:
                    fault = wrong_dependency(graph, root, state, sigma, delta)
            if fault >= 0:
                faults[s] = fault
                break
            if not known:
                proved_root, proved_algorithm = root, algorithm[s]
                proved[:] = state
                if both:
                    proved_sigma[:], proved_delta[:] = sigma, delta
            while began + len(levels) > len(rows):
                longer = np.empty((2 * len(rows), 5), np.int64)
                longer[:filled] = rows[:filled]
                rows = longer
            for level in range(len(levels)):
                if began + level == filled:
                    rows[filled, 0], rows[filled, 1] = s, level
                    rows[filled, 2:] = 0
                    filled += 1
                rows[began + level, 2] += levels[level, CYCLES]
                rows[began + level, 3] += levels[level, TASKS]
                rows[began + level, 4] += levels[level, ENQUEUES]
            if len(value):
                for v in range(n):
                    if state[v] != unreached(state):
                        reached[s, v] = True
                        value[s, v] += (delta[v] if v != root else 0.0) if both else state[v]
        totals[s, CYCLES] = now
    return totals, rows[:filled], faults
