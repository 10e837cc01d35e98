"""Which job held which node when: jobs that had their nodes to themselves, and where a sample of a node belongs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Placements(NamedTuple):
    """Jobs on nodes, without overlaps on any node.

    Jobs are numbered in the order of their ends, slots (a job on a node) by job, then node. A slot lasts from the start
    of its job up to and without its end; the slots of node n lie at first[n] .. first[n + 1] - 1 in the order of time.
    A slot takes 12 bytes, a job 24.
    """

    first: np.ndarray  # int64 (nodes + 1)
    job: np.ndarray  # int32 (slots), by node and start: the job of the slot
    slot: np.ndarray  # int32 (slots), by node and start
    slot_node: np.ndarray  # int32 (slots)
    first_slot: np.ndarray  # int64 (jobs + 1)
    job_start_ms: np.ndarray  # int64 (jobs)
    job_end_ms: np.ndarray  # int64 (jobs), increasing


class NodeLists(NamedTuple):
    """Numbers of the nodes of rows: those of row r lie at first[r] .. first[r + 1] - 1, none of them twice."""

    first: np.ndarray  # int64 (rows + 1)
    node: np.ndarray  # int32

    def of(self, rows: np.ndarray) -> NodeLists:
        """The lists of some rows, in their order."""
        count = np.diff(self.first)[rows]
        first = np.append(0, np.cumsum(count))
        at = np.repeat(self.first[rows] - first[:-1], count)
        at += np.arange(first[-1])
        return NodeLists(first, self.node[at])


def place(start_ms: np.ndarray, end_ms: np.ndarray, lists: NodeLists, nodes: int) -> Placements:
    """Placements of jobs with their starts, ends (increasing) and nodes, which must not overlap (see `shared`)."""
    # Numba takes longer to load than a small log to read, and most logs need no sweep.
    from pipeline.readers._placements_sweep import by_node, sort_each

    slot_node = lists.node.copy()
    sort_each(lists.first, slot_node)
    first, job, slot = by_node(np.argsort(start_ms, kind="stable"), lists.first, slot_node, nodes)
    return Placements(first, job, slot, slot_node, lists.first, start_ms, end_ms)


def shared(
    rows: np.ndarray, start_ms: np.ndarray, end_ms: np.ndarray, lists: NodeLists, nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Whether each of all rows is one of `rows` and had another one of them on one of its nodes while it ran; and the
    nodes that they ran on.

    start_ms, end_ms and lists are of all rows, one per job; intervals that only touch do not overlap.
    """
    from pipeline.readers._placements_sweep import by_node, overlapping

    in_order = rows[np.argsort(start_ms[rows], kind="stable")]
    first, row, _ = by_node(in_order, lists.first, lists.node, nodes)
    return overlapping(first, row, start_ms, end_ms), np.flatnonzero(np.diff(first))
