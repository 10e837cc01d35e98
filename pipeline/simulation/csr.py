"""Compressed sparse rows of a graph, from edges in any order."""

from __future__ import annotations

import numpy as np
from numba import njit


def compressed(n: int, source: np.ndarray, target: np.ndarray, weight: np.ndarray):
    """Compressed sparse rows of n vertices from edges in any order, integers each; the types are kept.

    Returns first[n + 1], target and weight, ascending by target in each row and without self loops and parallel edges,
    of which the least weight stays; and the number of self loops and of parallel edges that were left out. Beside the
    edges and the result 12 bytes per edge are held (24 from 2^31 edges on).
    """
    number = np.int32 if len(target) <= np.iinfo(np.int32).max else np.int64
    return _compressed(n, source, target, weight, np.arange(len(target), dtype=number))


@njit(cache=True)
def _compressed(n, source, target, weight, order):
    """As `compressed`; order: numbers of the edges, ascending."""
    by_target = _by_key(n, target, order)
    order = _by_key(n, source, by_target)
    first = np.zeros(n + 1, np.int64)
    kept_target, kept_weight = np.empty(len(order), target.dtype), np.empty(len(order), weight.dtype)
    count, loops, parallel = 0, 0, 0
    row = 0
    for e in order:
        v, w = source[e], target[e]
        while row < v:
            row += 1
            first[row] = count
        if v == w:
            loops += 1
        elif count > first[row] and kept_target[count - 1] == w:
            parallel += 1
            kept_weight[count - 1] = min(kept_weight[count - 1], weight[e])
        else:
            kept_target[count], kept_weight[count] = w, weight[e]
            count += 1
    first[row + 1 :] = count
    if 2 * count < len(order):
        return first, kept_target[:count].copy(), kept_weight[:count].copy(), loops, parallel
    return first, kept_target[:count], kept_weight[:count], loops, parallel


@njit(cache=True)
def _by_key(n: int, key, order):
    """The numbers in `order`, by their keys (0 to n - 1), those of one key as they were."""
    place = np.zeros(n + 1, np.int64)
    for k in key:
        place[k + 1] += 1
    for k in range(n):
        place[k + 1] += place[k]
    by_key = np.empty(len(order), order.dtype)
    for e in order:
        by_key[place[key[e]]] = e
        place[key[e]] += 1
    return by_key
