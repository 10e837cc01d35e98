"""Steps on arrays that many studies take. Those of numba would be compiled anew in each process with a kernel."""

from __future__ import annotations

import numpy as np
from numba import njit

TIE = 1e-9
"""Numbers of an order closer than this (relative) are a tie."""


@njit(cache=True)
def copy(source: np.ndarray, target: np.ndarray) -> None:
    """Write an array to another one of the same length, which it shares no memory with. Raises ValueError."""
    if len(source) != len(target):
        raise ValueError("the arrays are not of one length")
    for i in range(len(source)):
        target[i] = source[i]


@njit(cache=True)
def stable_order(keys: np.ndarray) -> np.ndarray:
    """Places of keys (n) in ascending order, equal ones as they stand: int64[n]."""
    return np.argsort(keys, kind="mergesort")


def rank(key: np.ndarray) -> np.ndarray:
    """Position of each element in increasing order of key; keys closer than TIE (relative) go by position."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    apart = np.diff(ordered) > TIE * np.maximum(np.abs(ordered[1:]), np.abs(ordered[:-1]))
    group = np.empty(len(key), dtype=np.int64)
    group[order] = np.concatenate([[0], np.cumsum(apart)]) if len(key) else np.empty(0, np.int64)
    place = np.empty(len(key), dtype=np.int64)
    place[np.argsort(group, kind="stable")] = np.arange(len(key))
    return place
