"""Scenarios of one graph and policy, one after another in compiled code."""

# ruff: noqa: ARG001 - rules take what the signature says
from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numba import njit

from pipeline.simulation.arrays import copy
from pipeline.studies.pim_graph.model.certificate import (
    another_dependency,
    another_distance,
    wrong_dependency,
    wrong_distance,
)
from pipeline.studies.pim_graph.model.cores import WRONG_QUEUE, WRONG_VALUE, Decisions
from pipeline.studies.pim_graph.model.dependencies import backward
from pipeline.studies.pim_graph.model.graph import Graph, unreached
from pipeline.studies.pim_graph.model.queues import room
from pipeline.studies.pim_graph.model.traversal import ALL_BUSY, CYCLES, ENQUEUES, MOST_BUSY, TASKS, forward
from pipeline.studies.pim_graph.rules import BC, CHECKED, NOBODY, SSSP, WORDS, Policy, Scenario, placing, stealing

LEVELS, LOCAL_WORDS, REMOTE_WORDS = 5, 6, 7
"""Columns of the totals, after those of `traversal.forward`."""


def run(
    graph: Graph, policy: Policy, scenarios: np.ndarray, first_root: np.ndarray, roots: np.ndarray,
    reached: np.ndarray, value: np.ndarray, *, named: Callable[[int], str],
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Run scenarios, and prove the values of each.

    scenarios: int64[S, 15], fields of rules.Scenario in their order; roots of scenario s:
    roots[first_root[s]:first_root[s + 1]]. reached (bool[S, n], false) and value (float64[S, n], zeros) are written, or
    have no rows where values are not asked for. named: what a scenario is called in an error.

    Values of the first traversal from a root are proved, those of later traversals from it are compared with them:
    scenarios with the same algorithm and root should be adjacent.

    Returns int64[S, 8], columns CYCLES, …, REMOTE_WORDS; int64[rows, 5], levels of all scenarios: scenario, level,
    cycles, tasks, enqueues. Raises ValueError for a wrong decision of a rule and RuntimeError for a wrong value.
    """
    totals, levels, faults = _run(
        graph, *decided(policy), scenarios, first_root, roots, reached, value,
    )  # fmt: skip
    for s in np.flatnonzero(faults[:, 0]):
        kind, *what = faults[s].tolist()
        if kind == WRONG_VALUE:
            raise RuntimeError(
                f"{named(s)} gives vertex {what[0]} a wrong value; the engine is at fault, or a rule that writes to "
                "what it may only read"
            )
        core, queue, number, held = what
        known = f"queues are 0 to {scenarios[s, Scenario._fields.index('stacks')] - 1}"
        if kind == WRONG_QUEUE:
            raise ValueError(f"{named(s)}: place sends vertex {number} from core {core} to queue {queue}; {known}")
        holds = f"which holds {held}" if held else f"which holds none; {known}, PASS is -1, NOBODY -2"
        raise ValueError(f"{named(s)}: steal lets core {core} take {number} elements of queue {queue}, {holds}")
    return totals, levels


@placing
def _to_owner(core, vertex, neighbours, queue, machine, scenario, memory):
    """What the engine takes where a policy has no rule; it is never asked."""


@stealing
def _from_nobody(core, machine, scenario, memory, elements):
    """What the engine takes where a policy has no rule; it is never asked."""
    return NOBODY


def decided(policy: Policy) -> tuple:
    """The first parts of `cores.Decisions`."""
    rules = (policy.place or _to_owner, policy.steal or _from_nobody)
    return (policy.place is not None, policy.steal is not None, *(rule.compiled() for rule in rules))


def effective(policy: Policy, scenarios: np.ndarray) -> np.ndarray:
    """Scenarios (as of `run`) as a policy's rules are told them: its queues, and 0 where a cost makes no difference."""
    effective_rows = scenarios.copy()
    column = dict(zip(Scenario._fields, effective_rows.T, strict=True))
    column["checked"][:] = CHECKED.index(policy.checked)
    column["unique"][:] = policy.unique
    column["cd" if policy.checked == "all" else "mlp"][:] = 0
    column["per_task"][column["software"] == 0] = 0
    if policy.steal is None:
        column["steal"][:] = 0
    return effective_rows


@njit(cache=True)
def _run(graph, places, steals, place, steal, scenarios, first_root, roots, reached, value):
    """Compiled part of `run`; places, steals, place, steal: as of Decisions. Returns its faults, too, int64[S, 5]."""
    n = len(graph.first) - 1
    count = len(scenarios)
    totals = np.zeros((count, 8), np.int64)
    faults = np.zeros((count, 5), np.int64)
    rows = np.empty((1024, 5), np.int64)
    filled = 0
    state, proved = np.empty(n, graph.weight.dtype), np.empty(n, graph.weight.dtype)
    any_bc = (scenarios[:, 0] == BC).any()
    sigma, delta = np.empty(n if any_bc else 0), np.empty(n if any_bc else 0)
    proved_sigma, proved_delta = np.empty(len(sigma)), np.empty(len(sigma))
    saved = np.empty(len(sigma), np.int32)
    proved_root, proved_algorithm = -1, -1
    space = room(max(1024, graph.most), state)
    elements = np.ones(1, np.int64)
    for s in range(count):
        c = scenarios[s]
        scenario = Scenario(
            c[0],
            c[1],
            c[2],
            c[3],
            c[4],
            c[5],
            c[6],
            c[7],
            c[8],
            c[9] != 0,
            c[10] != 0,
            c[11],
            c[12],
            c[13] != 0,
            c[14],
            c[15],
        )
        stacks, algorithm = scenario.stacks, scenario.algorithm
        both = algorithm == BC
        fault = faults[s]
        decisions = Decisions(places, steals, place, steal, np.zeros((stacks, WORDS), np.int64), elements, fault)
        saved_end = np.empty((n if both else 0, stacks), np.int64)
        now, began = 0, filled
        for r in range(first_root[s], first_root[s + 1]):
            root = roots[r]
            state[:] = unreached(state)
            if both:
                sigma[:], delta[:] = 0.0, 0.0
            now, local, remote, levels, space = forward(
                scenario, decisions, graph, root, now, state, sigma, saved, saved_end, space
            )
            if fault[0]:
                break
            totals[s, LOCAL_WORDS] += local
            totals[s, REMOTE_WORDS] += remote
            totals[s, LEVELS] += len(levels)
            for k in (TASKS, ENQUEUES, MOST_BUSY, ALL_BUSY):
                totals[s, k] += levels[:, k].sum()
            known = root == proved_root and algorithm == proved_algorithm
            wrong = another_distance(state, proved) if known else wrong_distance(graph, algorithm == SSSP, root, state)
            if both and wrong < 0:
                now, local, remote, work = backward(
                    scenario, decisions, graph, now, state, sigma, delta, saved, saved_end, len(levels)
                )
                if fault[0]:
                    break
                totals[s, LOCAL_WORDS] += local
                totals[s, REMOTE_WORDS] += remote
                totals[s, MOST_BUSY] += work[0]
                totals[s, ALL_BUSY] += work[1]
                if known:
                    wrong = another_dependency(sigma, proved_sigma, delta, proved_delta)
                else:
                    wrong = wrong_dependency(graph, root, state, sigma, delta)
            if wrong >= 0:
                fault[0], fault[1] = WRONG_VALUE, wrong
                break
            if not known:
                proved_root, proved_algorithm = root, algorithm
                copy(state, proved)
                if both:
                    copy(sigma, proved_sigma)
                    copy(delta, proved_delta)
            while began + len(levels) > len(rows):
                longer = np.empty((2 * len(rows), 5), np.int64)
                for row in range(filled):
                    copy(rows[row], longer[row])
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
