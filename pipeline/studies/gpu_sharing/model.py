"""What the machine does: throughput of applications on numbers of SMs, alone and beside each other."""

from __future__ import annotations

import numpy as np
import scipy
from numba import njit

LINEAR, PCHIP = "linear", "pchip"
INTERPOLATIONS = (LINEAR, PCHIP)


def throughput_table(
    curve: np.ndarray, sms: np.ndarray, ipc: np.ndarray, machine: int, interpolation: str
) -> np.ndarray:
    """Throughput of each curve on 0, 1, …, machine SMs, alone; float64 of shape (curves, machine + 1).

    curve: number of the curve of each known point, from 0 and ascending; sms, ipc: the points, ascending in a curve and
    without (0, 0), which every curve passes through. "linear" is straight lines, "pchip" the monotone cubic of Fritsch
    and Carlson (1980). A curve has to reach `machine`: beyond its last point the result is NaN.
    """
    first = np.flatnonzero(np.diff(curve, prepend=-1))
    last = np.append(first[1:], len(curve))
    wanted = np.arange(machine + 1, dtype=np.float64)
    table = np.empty((len(first), machine + 1))
    alike: dict[bytes, list[int]] = {}
    for row, (a, b) in enumerate(zip(first, last, strict=True)):
        alike.setdefault(sms[a:b].tobytes(), []).append(row)
    for rows in alike.values():
        points = first[rows][:, None] + np.arange(last[rows[0]] - first[rows[0]])
        x = np.append(0.0, sms[points[0]])
        y = np.hstack([np.zeros((len(rows), 1)), ipc[points]])
        table[rows] = _between(x, y, wanted, interpolation)
    return table


def _between(x: np.ndarray, y: np.ndarray, wanted: np.ndarray, interpolation: str) -> np.ndarray:
    """Values of the curves y (curves, points) over x at the wanted places; NaN beyond the last point."""
    if interpolation == PCHIP:
        return scipy.interpolate.PchipInterpolator(x, y, axis=1, extrapolate=False)(wanted)
    right = np.clip(np.searchsorted(x, wanted), 1, len(x) - 1)
    share = (wanted - x[right - 1]) / (x[right] - x[right - 1])
    values = y[:, right - 1] + share * (y[:, right] - y[:, right - 1])
    # Exactly the given number where one is given.
    values = np.where(wanted == x[right], y[:, right], values)
    return np.where(wanted > x[-1], np.nan, values)


@njit(cache=True)
def beside(alone, split, pressure, gamma, throughput):
    """Throughput of each application beside the others, from `alone` (at the same split), to `throughput`.

    T_i = alone_i / (1 + gamma sum over j != i of pressure_j split_j).
    """
    total = 0.0
    for i in range(len(split)):
        total += pressure[i] * split[i]
    for i in range(len(split)):
        throughput[i] = alone[i] / (1.0 + gamma * (total - pressure[i] * split[i]))


@njit(cache=True)
def unfairness(values):
    """(max - min)/max of the values (Equation 1 of Chapter 6); 0 where the largest is 0."""
    largest, smallest = values[0], values[0]
    for value in values:
        largest, smallest = max(largest, value), min(smallest, value)
    return (largest - smallest) / largest if largest > 0 else 0.0
