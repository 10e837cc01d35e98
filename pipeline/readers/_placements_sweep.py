"""Sweeps over the jobs of each node, compiled (see _placements)."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def sort_each(first, node):
    for row in range(first.size - 1):
        node[first[row] : first[row + 1]].sort()


@njit(cache=True)
def by_node(rows, first_of_row, node, nodes):
    """Nodes of the rows, grouped by node, in each as the rows come: first of each node, row, position in `node`."""
    first = np.zeros(nodes + 1, np.int64)
    for row in rows:
        for k in range(first_of_row[row], first_of_row[row + 1]):
            first[node[k] + 1] += 1
    for n in range(nodes):
        first[n + 1] += first[n]
    free = first[:-1].copy()
    owner, position = np.empty(first[nodes], np.int32), np.empty(first[nodes], np.int32)
    for row in rows:
        for k in range(first_of_row[row], first_of_row[row + 1]):
            at = free[node[k]]
            free[node[k]] = at + 1
            owner[at], position[at] = row, k
    return first, owner, position


@njit(cache=True)
def overlapping(first, row, start_ms, end_ms):
    """Sweep over each node. Of the earlier intervals only the one that ends last needs a look: any other that reaches
    beyond a start overlaps that one, too, and is marked already."""
    overlaps = np.zeros(start_ms.size, np.bool_)
    for n in range(first.size - 1):
        longest = -1
        for i in range(first[n], first[n + 1]):
            this = row[i]
            if end_ms[this] <= start_ms[this]:
                continue
            if longest >= 0 and end_ms[longest] > start_ms[this]:
                overlaps[longest] = True
                overlaps[this] = True
                if end_ms[this] > end_ms[longest]:
                    longest = this
            else:
                longest = this
    return overlaps
