"""Which job held which node when: jobs that had their nodes to themselves, and where a sample of a node belongs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit


class Placements(NamedTuple):
    """Jobs on nodes, without overlaps on any node.

    Jobs are numbered in the order of their ends, slots (a job on a node) by job, then node. A slot lasts from start_ms
    up to and without end_ms; the intervals of node n lie at first[n] .. first[n + 1] - 1 in the order of time.
    """

    first: np.ndarray  # int64 (nodes + 1)
    start_ms: np.ndarray  # int64 (slots), by node and start
    end_ms: np.ndarray  # int64 (slots), by node and start
    slot: np.ndarray  # int32 (slots), by node and start: the slot of the interval
    slot_node: np.ndarray  # int64 (slots)
    first_slot: np.ndarray  # int64 (jobs + 1)
    job_end_ms: np.ndarray  # int64 (jobs), increasing


def place(job_end_ms: np.ndarray, job: np.ndarray, node: np.ndarray, start_ms: np.ndarray, nodes: int) -> Placements:
    """Placements from one row a job and node (job and node numbers, start of the job), in any order.

    job_end_ms: ends of the jobs, increasing. Rows of one node must not overlap (see `shared`).
    """
    by_job = np.lexsort((node, job))
    job, node, start_ms = job[by_job], node[by_job], start_ms[by_job]
    by_node = np.lexsort((start_ms, node))
    return Placements(
        _offsets(np.bincount(node, minlength=nodes)),
        start_ms[by_node],
        job_end_ms[job[by_node]],
        by_node.astype(np.int32),
        node,
        _offsets(np.bincount(job, minlength=len(job_end_ms))),
        job_end_ms,
    )


def shared(job: np.ndarray, node: np.ndarray, start_ms: np.ndarray, end_ms: np.ndarray, jobs: int) -> np.ndarray:
    """Whether each job had another job on one of its nodes while it ran.

    One row a job and node in any order (job and node numbers, start and end); intervals that only touch do not overlap.
    """
    order = np.lexsort((start_ms, node))
    return _overlapping(job[order], node[order], start_ms[order], end_ms[order], jobs)


def _offsets(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


@njit(cache=True)
def _overlapping(job, node, start_ms, end_ms, jobs):
    """Sweep over each node. Of the earlier intervals only the one that ends last needs a look: any other that reaches
    beyond a start overlaps that one, too, and is marked already."""
    found = np.zeros(jobs, np.bool_)
    longest = -1
    for i in range(job.size):
        if end_ms[i] <= start_ms[i]:
            continue
        if longest >= 0 and node[longest] == node[i] and end_ms[longest] > start_ms[i]:
            if job[longest] != job[i]:
                found[job[longest]] = True
                found[job[i]] = True
            if end_ms[i] > end_ms[longest]:
                longest = i
        else:
            longest = i
    return found
