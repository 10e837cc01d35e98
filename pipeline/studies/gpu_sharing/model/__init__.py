"""What the machine does: throughput of applications on numbers of SMs, alone and beside each other."""

from __future__ import annotations

import numpy as np
import scipy
from numba import njit

LINEAR, PCHIP = "linear", "pchip"
INTERPOLATIONS = (LINEAR, PCHIP)
TIE = 1e-12
"""Values closer than this tie: absolute for unfairness and speed-ups, relative for throughput, targets and sums."""
MEASURES = (
    "system_speedup",
    "least_speedup",
    "total_throughput",
    "unfairness_sms",
    "unfairness_throughput",
    "unfairness_speedup",
)
"""Measures of a split, in the order of the columns that `summarise` writes."""


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


def slice_table(curve: np.ndarray, sms: np.ndarray, ipc: np.ndarray, machine: int) -> np.ndarray:
    """The same where only the known points count: NaN on each other number of SMs, as on slices nobody measured."""
    table = np.full((curve[-1] + 1, machine + 1), np.nan)
    table[:, 0] = 0.0
    there = sms <= machine
    table[curve[there], sms[there].astype(np.int64)] = ipc[there]
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

    T_i = alone_i / (1 + gamma_i sum over j != i of pressure_j split_j). Both may be the same array.
    """
    total = 0.0
    for i in range(len(split)):
        total += pressure[i] * split[i]
    for i in range(len(split)):
        throughput[i] = alone[i] / (1.0 + gamma[i] * (total - pressure[i] * split[i]))


@njit(cache=True)
def slowdown(a, b, i, gamma, pressure, split):
    """Time of slot i beside the others of a..b over its time alone: 1 + gamma_i sum of pressure * SMs of the others.

    The same as in `beside`, which adds up once for all applications and so rounds differently.
    """
    pressed = 0.0
    for j in range(a, b):
        if j != i:
            pressed += pressure[j] * split[j]
    return 1.0 + gamma[i] * pressed


@njit(cache=True)
def unfairness(values):
    """(max - min)/max of the values (Equation 1 of Chapter 6); 0 where the largest is 0."""
    largest, smallest = values[0], values[0]
    for value in values:
        largest, smallest = max(largest, value), min(smallest, value)
    return (largest - smallest) / largest if largest > 0 else 0.0


@njit(cache=True)
def meets(throughput, target):
    """Whether a throughput reaches its target (both IPC)."""
    return throughput >= target * (1 - TIE)


@njit(cache=True)
def equal(sms, split):
    """As many SMs for each, the remainder one each to the last."""
    split[:] = sms // len(split)
    for i in range(len(split) - sms % len(split), len(split)):
        split[i] += 1


@njit(cache=True)
def following(split):
    """Make `split` the lexicographically next one with the same sum and no zero; False where it is the last."""
    k = len(split)
    behind = split[k - 1]
    for i in range(k - 2, -1, -1):
        # What stands behind i can give one away as long as each of them keeps one.
        if behind > k - 1 - i:
            split[i] += 1
            for j in range(i + 1, k - 1):
                split[j] = 1
            split[k - 1] = behind - 1 - (k - 2 - i)
            return True
        behind += split[i]
    return False


@njit(cache=True)
def give_spare(sms, gives, target, split):
    """Spare SMs to the applications without a target, evenly and the remainder to the last, where `gives`.

    Those that have some already keep them, and no more are given.
    """
    spare, others, last, shared = sms, 0, -1, False
    for i in range(len(split)):
        spare -= split[i]
        if target[i] <= 0.0:
            others += 1
            last = i
            shared |= split[i] != 0
    if gives and others > 0 and not shared:
        for i in range(len(split)):
            if target[i] <= 0.0:
                split[i] = spare // others
        split[last] += spare % others


@njit(cache=True)
def summarise(first_slot, split, throughput, cooperative, speedup, measures):
    """Speed-up of each slot over `cooperative`, and a row of `measures` a scenario, in the order of MEASURES."""
    for s in range(len(first_slot) - 1):
        a, b = first_slot[s], first_slot[s + 1]
        total, baseline, slowest = 0.0, 0.0, np.inf
        for i in range(a, b):
            speedup[i] = throughput[i] / cooperative[i]
            total += throughput[i]
            baseline += cooperative[i]
            slowest = min(slowest, speedup[i])
        measures[s, 0], measures[s, 1], measures[s, 2] = total / baseline, slowest, total
        measures[s, 3] = unfairness(split[a:b])
        measures[s, 4] = unfairness(throughput[a:b])
        measures[s, 5] = unfairness(speedup[a:b])
