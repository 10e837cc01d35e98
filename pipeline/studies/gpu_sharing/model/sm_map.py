"""Frequencies of the SMs of a die under within-die process variation.

Thesis, Chapter 3 (Figure 3); docs/models/gpu_sharing-variation.md.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from pipeline.studies.gpu_sharing import STUDY

GRID = 96
"""Grid points along an edge of the die."""
CORRELATION_RANGE = 0.5
"""Distance from which on threshold voltages are independent, in edges of the die."""
TORUS = GRID + int(CORRELATION_RANGE * GRID)
"""Grid points along an edge of the torus: the die and the range of correlation, so that nothing wraps into the die."""
THRESHOLD_V, ALPHA = STUDY.defaults["threshold_v"], STUDY.defaults["voltage_exponent"]
RELATIVE_SD, SUPPLY_V = 0.064, 1.0
HIGHEST_THRESHOLD_V = 0.9
FASTEST = 1.4
"""Frequency of the fastest SM over that of the slowest."""


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


def frequencies(seed: int, sms: int, mean_v: float = THRESHOLD_V, alpha: float = ALPHA) -> np.ndarray:
    """Frequency of each SM of the map `seed`, the slowest 1 and the fastest 1.4, shape (sms,).

    mean_v: mean threshold voltage (V); alpha: exponent of the alpha-power law. Maps of one seed that differ in these
    have the same pattern. Raises ValueError for more SMs than the grid can distinguish.
    """
    if not 1 <= sms <= GRID * GRID // 4:
        raise ValueError(f"sms is {sms}; a map of {GRID} x {GRID} grid points has 1 to {GRID * GRID // 4} SMs")
    sm = sm_of_points(sms)
    slowest = np.full(sms, np.inf)
    inside = sm >= 0
    np.minimum.at(slowest, sm[inside], frequency(threshold_voltages(seed, mean_v), alpha)[inside])
    return rescaled(slowest)


def rescaled(slowest_points: np.ndarray) -> np.ndarray:
    """Frequencies, affinely rescaled so that the slowest is 1 and the fastest 1.4; 1 where all are equal."""
    low, high = slowest_points.min(), slowest_points.max()
    if high == low:
        return np.ones_like(slowest_points)
    return 1.0 + (FASTEST - 1.0) * (slowest_points - low) / (high - low)
