"""Which of several policies a graph and machine are fastest with, by one traversal each."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pipeline.studies.pim_graph.model import batch
from pipeline.studies.pim_graph.model.graph import Graph
from pipeline.studies.pim_graph.model.traversal import CYCLES
from pipeline.studies.pim_graph.rules import BC, Policy, Scenario


def fastest(candidates: Iterable[Policy], graph: Graph, scenario: Scenario, name: str) -> Policy:
    """The policy that traverses the graph soonest from its vertex of the largest out-degree, the first of several.

    Of BC those that check all only. A trial is run once for all traversals of a graph, and its time is not counted.
    name: the scheduler's, for errors, which are those of `batch.run`.
    """
    able = [policy for policy in candidates if scenario.algorithm != BC or policy.checked == "all"]
    root = np.array([np.argmax(np.diff(graph.first))])
    none, cycles = np.zeros((0, 0)), []
    for policy in able:
        effective = batch.effective(policy, np.array([scenario], np.int64))
        totals, _ = batch.run(
            graph, policy, effective, np.arange(2), root, none > 0, none, named=lambda _: f"a trial of {name}"
        )
        cycles.append(totals[0, CYCLES])
    return able[int(np.argmin(cycles))]
