"""Scenarios of one process side by side, on as many threads as the job was given cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

CORES = "APPORTION_CORES"
"""Environment variable with the cores of a job; one where it is not set."""

T, R = TypeVar("T"), TypeVar("R")


def each(function: Callable[[T], R], values: Iterable[T]) -> list[R]:
    """Results of a function of each value, in their order.

    It gains where the function spends its time in the database, or in what is compiled with `nogil`. An exception is
    that of the first value that raises one, as in a loop.
    """
    cores = int(os.environ.get(CORES, "1"))
    if cores <= 1:
        return [function(value) for value in values]
    with ThreadPoolExecutor(cores) as pool:
        return list(pool.map(function, values))
