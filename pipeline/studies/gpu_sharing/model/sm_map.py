"""Frequencies of the SMs of a die under within-die process variation.

Thesis, Chapter 3 (Figure 3); docs/models/gpu_sharing-variation.md.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from pipeline.studies.gpu_sharing import STUDY

GRID = 96
"""Grid points along an edge of the die."""
MOST_SMS = GRID * GRID // 4
"""SMs that the grid can tell apart."""
CORRELATION_RANGE = 0.5
"""Distance from which on threshold voltages are independent, in edges of the die."""
TORUS = GRID + int(CORRELATION_RANGE * GRID)
"""Grid points along an edge of the torus: the die and the range of correlation, so that nothing wraps into the die."""
THRESHOLD_V, ALPHA = STUDY.defaults["threshold_v"], STUDY.defaults["voltage_exponent"]
RELATIVE_SD, SUPPLY_V = 0.064, 1.0
HIGHEST_THRESHOLD_V = 0.9
FASTEST, FASTEST_OF = 1.4, 30
"""Frequency of the fastest SM over that of the slowest on the thesis' die, and the SMs of that die (Figure 3b)."""


def spherical(distance: np.ndarray, reach: float = CORRELATION_RANGE) -> np.ndarray:
    """Spherical correlation of points at a distance; 0 from `reach` on (both in edges of the die)."""
    d = np.minimum(np.asarray(distance, float) / reach, 1.0)
    return 1.0 - 1.5 * d + 0.5 * d**3


@cache
def _amplitudes() -> np.ndarray:
    """Square roots of the spectrum of the correlation on the torus, shape (TORUS, TORUS)."""
    steps = np.minimum(np.arange(TORUS), TORUS - np.arange(TORUS)) / GRID
    spectrum = np.fft.fft2(spherical(np.hypot(steps[:, None], steps[None, :]))).real
    return np.sqrt(np.maximum(spectrum, 0.0))


def threshold_voltages(seed: int, mean_v: float = THRESHOLD_V) -> np.ndarray:
    """Threshold voltages (V) on the grid points of a die, shape (GRID, GRID): a correlated Gaussian field."""
    random = np.random.default_rng(seed)
    white = random.standard_normal((TORUS, TORUS)) + 1j * random.standard_normal((TORUS, TORUS))
    field = np.fft.fft2(_amplitudes() * white).real[:GRID, :GRID] / TORUS
    return mean_v * (1.0 + RELATIVE_SD * field)


def frequency(threshold_v: np.ndarray, alpha: float = ALPHA) -> np.ndarray:
    """Highest frequency at a threshold voltage (V) by the alpha-power law, up to a constant factor."""
    return (SUPPLY_V - np.minimum(threshold_v, HIGHEST_THRESHOLD_V)) ** alpha / SUPPLY_V


def sm_of_points(sms: int) -> np.ndarray:
    """SM of each grid point, shape (GRID, GRID); -1 where the last row of SMs has no more of them."""
    columns = int(np.ceil(np.sqrt(sms)))
    rows = -(-sms // columns)
    row, column = np.arange(GRID) * rows // GRID, np.arange(GRID) * columns // GRID
    sm = row[:, None] * columns + column[None, :]
    return np.where(sm < sms, sm, -1)


def frequencies(
    seed: int, sms: int, mean_v: float = THRESHOLD_V, alpha: float = ALPHA, cluster_sms: int = 1
) -> np.ndarray:
    """Frequency of each SM of the map `seed`, the slowest being 1, shape (sms,).

    The die is scaled once: cut into 30 SMs, its fastest has 1.4 times the frequency of its slowest. mean_v: mean
    threshold voltage (V); alpha: exponent of the alpha-power law. Maps of one seed that differ in these have the same
    pattern. cluster_sms: neighbours, along the rows of the die, that share the clock of their slowest. Raises
    ValueError for more SMs than the grid can distinguish.
    """
    if not 1 <= sms <= MOST_SMS:
        raise ValueError(f"sms is {sms}; a map of {GRID} x {GRID} grid points has 1 to {MOST_SMS} SMs")
    points = frequency(threshold_voltages(seed, mean_v), alpha)
    of_sm = rescaled(slowest_points(points, sms), slowest_points(points, FASTEST_OF))
    first = np.arange(0, sms, cluster_sms)
    of_cluster = np.minimum.reduceat(of_sm, first)
    return np.repeat(of_cluster, np.diff(np.append(first, sms))) / of_sm.min()


def mean_threshold_voltages(seed: int, sms: int) -> np.ndarray:
    """Mean threshold voltage (V) of each SM's grid points, shape (sms,) (Figure 3a)."""
    sm, inside = sm_of_points(sms), sm_of_points(sms) >= 0
    return np.bincount(sm[inside], threshold_voltages(seed)[inside]) / np.bincount(sm[inside])


def slowest_points(points: np.ndarray, sms: int) -> np.ndarray:
    """Frequency of the slowest of each SM's grid points, shape (sms,)."""
    sm = sm_of_points(sms)
    slowest, inside = np.full(sms, np.inf), sm >= 0
    np.minimum.at(slowest, sm[inside], points[inside])
    return slowest


def rescaled(values: np.ndarray, of: np.ndarray) -> np.ndarray:
    """Frequencies by the affine scale that makes the slowest `of` some SMs 1 and the fastest 1.4."""
    return 1.0 + (FASTEST - 1.0) * (values - of.min()) / (of.max() - of.min())
