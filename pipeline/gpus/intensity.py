"""Intensity classes of GPU kernels and Slate's policy on them: which kernels share a GPU (IPDPS 2019, Section III-B).

A kernel is low, medium or high (L, M, H) in computing and in memory, by its rates when it runs alone. Memory comes
first: a kernel of medium or high memory intensity is that, whatever it computes; only those of low memory intensity are
distinguished by how much they compute. That gives the five classes of Table I.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from pipeline.runtime.wording import did_you_mean

LEVELS = ("L", "M", "H")
CLASSES = ("L_M/L_C", "L_M/M_C", "L_M/H_C", "M_M", "H_M")
"""Rows and columns of Table I, in its order."""
SYMMETRIES = ("printed", "either", "both")


class Thresholds(NamedTuple):
    """Rates at which a kernel counts as medium and as high.

    They are those of the paper's card, a Titan Xp. The paper prints none. Table II's labels hold for every
    medium_gflops in (19.6, 161.3], high_gflops in (161.3, 1525], medium_memory_gbps in (71.6, 340.9] and
    high_memory_gbps in (403.5, 568.6]; the defaults lie well inside.
    """

    medium_gflops: float = 56.0
    high_gflops: float = 496.0
    medium_memory_gbps: float = 182.0
    high_memory_gbps: float = 492.0


THRESHOLDS = Thresholds()


TABLE_1 = np.array(
    [
        [True, True, False, True, True],
        [True, True, False, False, True],
        [False, False, False, False, True],
        [True, False, True, False, False],
        [True, True, False, False, False],
    ]
)
"""Table I as printed: whether an active kernel (row) and a candidate (column), of CLASSES, run side by side.

It is not symmetric: L_M/H_C beside M_M is solo, M_M beside L_M/H_C corun; L_M/H_C beside H_M is corun, H_M beside
L_M/H_C solo.
"""


def intensity(gflops: float, memory_gbps: float, thresholds: Thresholds = THRESHOLDS) -> tuple[str, str]:
    """Compute and memory intensity of a kernel, each "L", "M" or "H".

    gflops: floating-point rate alone on the GPU (GFLOP/s); memory_gbps: global load and store rate (GB/s). A rate at a
    threshold has reached it. Raises ValueError for a rate that is negative or not finite, and for thresholds that do
    not rise.
    """
    thresholds = _checked(thresholds)
    for name, rate in (("gflops", gflops), ("memory_gbps", memory_gbps)):
        if not (math.isfinite(rate) and rate >= 0):
            raise ValueError(f"{name} is {rate}; it must be at least 0 and finite")
    computing, memory = _levels(gflops, memory_gbps, thresholds)
    return LEVELS[int(computing)], LEVELS[int(memory)]


def coruns(active: tuple[str, str], candidate: tuple[str, str], symmetry: str = "printed") -> bool:
    """Whether Slate runs a candidate beside the active kernel (Table I), both as `intensity` gives them.

    symmetry: "printed" reads the active kernel's row and the candidate's column; "either" also the other way round and
    takes a corun of one as enough; "both" wants both. Raises ValueError for what is no intensity and an unknown
    symmetry.
    """
    return bool(policy(symmetry)[_number(active), _number(candidate)])


def policy(symmetry: str = "printed") -> np.ndarray:
    """Table I under a symmetry: bool (5, 5), active class by candidate class. Raises ValueError for an unknown one."""
    if symmetry == "printed":
        return TABLE_1.copy()
    if symmetry == "either":
        return TABLE_1 | TABLE_1.T
    if symmetry == "both":
        return TABLE_1 & TABLE_1.T
    raise ValueError(
        f"unknown symmetry {symmetry!r}; known: {', '.join(SYMMETRIES)}{did_you_mean(symmetry, SYMMETRIES)}"
    )


def class_numbers(gflops: np.ndarray, memory_gbps: np.ndarray, thresholds: Thresholds = THRESHOLDS) -> np.ndarray:
    """Positions in CLASSES of many kernels at once, int64, in the common shape of the rates and of the thresholds.

    The fields of `thresholds` may be arrays. Rates are taken as they are: `intensity` is what refuses bad ones.
    """
    computing, memory = _levels(gflops, memory_gbps, thresholds)
    return np.where(memory > 0, len(LEVELS) - 1 + memory, computing)


def _levels(gflops, memory_gbps, thresholds: Thresholds) -> tuple[np.ndarray, np.ndarray]:
    """Positions in LEVELS by computing and by memory, int64."""
    t = thresholds
    computing = np.greater_equal(gflops, t.medium_gflops).astype(np.int64) + np.greater_equal(gflops, t.high_gflops)
    memory = np.greater_equal(memory_gbps, t.medium_memory_gbps).astype(np.int64)
    return computing, memory + np.greater_equal(memory_gbps, t.high_memory_gbps)


def _number(kernel: tuple[str, str]) -> int:
    """Position in CLASSES of a kernel's compute and memory intensity."""
    if len(kernel) != 2 or any(level not in LEVELS for level in kernel):
        raise ValueError(f"intensity is {kernel!r}; it must be compute and memory, each of L, M, H, as ('L', 'M')")
    computing, memory = kernel
    return {"L": LEVELS.index(computing), "M": 3, "H": 4}[memory]


def _checked(thresholds: Thresholds) -> Thresholds:
    thresholds = Thresholds(*thresholds)
    for kind in ("gflops", "memory_gbps"):
        medium, high = getattr(thresholds, f"medium_{kind}"), getattr(thresholds, f"high_{kind}")
        if not medium <= high:
            raise ValueError(f"thresholds: medium_{kind} is {medium} and high_{kind} {high}; they must rise")
    return thresholds
