"""Which of several policies a graph and machine are fastest with, by one traversal each."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pipeline.studies.pim_graph import batch
from pipeline.studies.pim_graph.forward import CYCLES
from pipeline.studies.pim_graph.model import ALL, BC, Graph, Policy


def fastest(candidates: Iterable[Policy], graph: Graph, algorithm: int, stacks: int, cost: np.ndarray) -> Policy:
    """The policy that traverses the graph soonest from its vertex of the largest out-degree, the first of several.

    cost: int64[9], fields of model.Cost; of BC eager candidates only. A trial is run once for all traversals of
    a graph, and its time is not counted. Raises RuntimeError for a wrong value.
    """
    able = [policy for policy in candidates if algorithm != BC or policy.checked == ALL]
    root = int(np.argmax(np.diff(graph.first)))
    tried = len(able)
    totals, _, faults = batch.run(
        graph, np.full(tried, algorithm), np.array(able, np.int64), np.tile(cost, (tried, 1)), np.full(tried, stacks),
        np.arange(tried + 1), np.full(tried, root), np.zeros((0, 0), np.bool_), np.zeros((0, 0)),
    )  # fmt: skip
    if (faults >= 0).any():
        raise RuntimeError(f"a trial gives vertex {faults.max()} a wrong value; the engine is at fault")
    return able[int(np.argmin(totals[:, CYCLES]))]
