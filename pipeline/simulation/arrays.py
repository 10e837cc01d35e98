"""Steps on arrays that many kernels take. numba's own would be compiled anew in each process that compiles a kernel."""

from __future__ import annotations

import numpy as np
from numba import njit


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
