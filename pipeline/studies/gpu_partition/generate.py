"""Random task sets (Zahaf et al. 2021, Section 7.1), by UUniFast with discard."""

from __future__ import annotations

from functools import cache

import numpy as np
from numba import njit

HYPERPERIOD = 4000
SHORTEST_PERIOD, LONGEST_PERIOD = 50, 4000
DEADLINE = 0.75
"""Relative deadlines as a share of the period."""
NEAR = 1e-9
"""Relative distance to a limit within which rounding may decide, far more than that of the shares."""


@cache
def periods(hyperperiod: int = HYPERPERIOD) -> np.ndarray:
    """The list that periods are taken from, rising: divisors of the hyperperiod from 50 to 4000."""
    return np.array([t for t in range(SHORTEST_PERIOD, LONGEST_PERIOD + 1) if hyperperiod % t == 0], float)


def uunifast(
    rng: np.random.Generator, n: int, total: float, most: float | np.ndarray, attempts: int = 1_000_000
) -> np.ndarray:
    """n utilisations with the given sum, uniform over those that are at most `most` each; one for all, or (n,).

    Source: Bini and Buttazzo 2005 (UUniFast), Emberson, Stafford, Davis 2010 (discard). Raises ValueError where the sum
    cannot be had, or is so rare that no attempt gives it.
    """
    limits = np.broadcast_to(most, n)
    if total > limits.sum():
        of = f"{limits.min():g}" if np.ndim(most) == 0 else f"{limits.min():g} to {limits.max():g}"
        raise ValueError(f"{n} tasks of at most {of} each do not make a utilisation of {total:g}")
    exponents = 1 / np.arange(n - 1, 0, -1)
    draws, tried = rng.random(n - 1), 1
    while tried <= attempts:
        left = total * np.cumprod(np.concatenate([[1.0], draws**exponents]))
        shares = left - np.append(left[1:], 0.0)
        if (shares <= limits).all():
            return shares
        tried += _until_promising(rng, total, limits, attempts - tried, draws)
    raise ValueError(f"no {n} utilisations of at most {most:g} with the sum {total:g} in {attempts} attempts")


@njit(cache=True)
def _until_promising(rng, total, limits, attempts, draws):
    """Draw until the shares that follow are within the limits, or so near that rounding decides.

    Writes the draws that they follow from; returns how often it drew, and one more where nothing was promising.
    """
    n = len(limits)
    for attempt in range(attempts):
        within, left = True, total
        for i in range(n - 1):
            draws[i] = rng.random()
            if within:
                after = left * draws[i] ** (1 / (n - 1 - i))
                within = left - after <= limits[i] * (1 + NEAR)
                left = after
        if within and left <= limits[n - 1] * (1 + NEAR):
            return attempt + 1
    return attempts + 1


def most_utilisation(sms: int, serial_fraction: float | np.ndarray) -> float | np.ndarray:
    """Largest work/period of a task that is on time alone on all SMs in the literal mode: 0.75/(1/M + beta)."""
    return DEADLINE / (1 / sms + serial_fraction)


def task_set(
    rng: np.random.Generator,
    n: int,
    total: float,
    sms: int,
    memory_share: float = 0.5,
    hyperperiod: int = HYPERPERIOD,
) -> dict[str, np.ndarray]:
    """Columns period, deadline, work, memory (flag) of n tasks with a parallel utilisation `total` on one SM's scale.

    No task has a utilisation above that of a memory task that is just not late on the whole machine in the literal
    mode. Periods are divisors of the hyperperiod; one is raised while its task's work is below 1.
    """
    shares = uunifast(rng, n, total, most_utilisation(sms, 0.1))
    among = periods(hyperperiod)
    first = rng.integers(0, len(among), n)
    enough = np.searchsorted(among, np.minimum(1 / np.maximum(shares, 1e-300), among[-1]))
    period = among[np.maximum(first, enough)]
    return {
        "period": period,
        "deadline": DEADLINE * period,
        "work": shares * period,
        "memory": rng.random(n) <= memory_share,
    }
