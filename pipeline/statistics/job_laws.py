"""Laws of batch jobs and their memory (HiPC 2024, Sections V-B and VI; where it shows figures only, documented laws).

All laws draw from streams of their own, so that workloads that differ in one law share the numbers of all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy

MEAN_MEMORY_GB, SD_MEMORY_GB = 105.0, 60.0
MEMORY_RANGE_GB = (2.0, 242.0)
MEAN_PHASES, SIGMA_PHASES, MOST_PHASES = 17.0, 1.5, 45
MEAN_LENGTH_S, SIGMA_LENGTH = 1000.0, 1.0
DYNAMIC_PHASES = (50, 149)
DYNAMIC_MEMORY_GB = (105.0, 30.0)
DYNAMIC_TRUNCATIONS_GB = ((30.0, 80.0), (80.0, 130.0), (130.0, 180.0), (180.0, 240.0))


@dataclass(frozen=True)
class Spread:
    """What the paper does not print of its laws: how far they spread. Their means are the paper's."""

    sd_memory_gb: float = SD_MEMORY_GB
    memory_range_gb: tuple[float, float] = MEMORY_RANGE_GB
    sigma_phases: float = SIGMA_PHASES
    sigma_length: float = SIGMA_LENGTH


DOCUMENTED = Spread()

VARIED = {
    "load": (0.8, 1.0),
    "sd_memory_gb": (45, 75),
    "least_memory_gb": (1, 10),
    "most_memory_gb": (220, 256),
    "sigma_phases": (1.0, 2.0),
    "sigma_length": (0.5, 1.5),
}
"""Ranges in which the offered load and the laws' spread are varied together."""


def varied_together(points: int, rng: np.random.Generator) -> list[tuple[float, Spread]]:
    """Offered loads, each with a spread: the points of a Latin hypercube over VARIED, rounded."""
    low, high = np.array(list(VARIED.values())).T
    drawn = low + scipy.stats.qmc.LatinHypercube(len(VARIED), rng=rng).random(points) * (high - low)
    return [
        (round(load, 3), Spread(round(sd), (round(least), round(most)), round(phases, 2), round(length, 2)))
        for load, sd, least, most, phases, length in drawn.tolist()
    ]


def differing(spread: Spread) -> Iterator[tuple[str, str]]:
    """What differs from the documented spread, as name and text."""
    for name, default in DOCUMENTED.__dict__.items():
        value = getattr(spread, name)
        if value != default:
            yield name, " to ".join(f"{v:g}" for v in (value if isinstance(value, tuple) else (value,)))


def nodes(rng: np.random.Generator, law: str, jobs: int) -> np.ndarray:
    """Nodes of each job: uniform on 1..23 (Section VI-A), or C_m on 1..48 with mean 7 (truncated geometric law)."""
    if law == "uniform":
        return rng.integers(1, 23, size=jobs, endpoint=True)
    share = _truncated_geometric(7.0, 48)
    return rng.choice(np.arange(1, len(share) + 1), size=jobs, p=share)


@cache
def _truncated_geometric(mean: float, largest: int) -> np.ndarray:
    """Probabilities of 1..largest, each a fixed multiple of the one before, with the mean given (below the middle)."""
    sizes = np.arange(1, largest + 1)

    def weights(ratio: float) -> np.ndarray:
        w = ratio ** sizes.astype(float)
        return w / w.sum()

    return weights(scipy.optimize.brentq(lambda r: weights(r) @ sizes - mean, 1e-3, 1 - 1e-9))


def phases(rng: np.random.Generator, jobs: int, sigma: float = SIGMA_PHASES) -> np.ndarray:
    """Phases of each job, N_p: lognormal of mean 17, sigma 1.5, rounded and clipped to 1..45."""
    mu = np.log(MEAN_PHASES) - sigma**2 / 2
    return np.clip(np.rint(rng.lognormal(mu, sigma, jobs)), 1, MOST_PHASES).astype(np.int64)


@cache
def mean_phases(sigma: float = SIGMA_PHASES) -> float:
    """Mean of N_p after clipping."""
    law = scipy.stats.lognorm(s=sigma, scale=np.exp(np.log(MEAN_PHASES) - sigma**2 / 2))
    # P(N >= n) = P(X >= n - 1/2), and N >= 1 always.
    return float(1 + law.sf(np.arange(2, MOST_PHASES + 1) - 0.5).sum())


def lengths_s(rng: np.random.Generator, count: int, sigma: float = SIGMA_LENGTH) -> np.ndarray:
    """Length of each phase, L_m: lognormal of mean 1000 s, sigma 1."""
    return rng.lognormal(np.log(MEAN_LENGTH_S) - sigma**2 / 2, sigma, count)


def memory_gb(rng: np.random.Generator, law: str, count: int, spread: Spread = DOCUMENTED) -> np.ndarray:
    """Memory per node of each phase, X_m, on 2..242 GB with mean 105."""
    low, high = spread.memory_range_gb
    if law == "beta":
        mean, sd = (MEAN_MEMORY_GB - low) / (high - low), spread.sd_memory_gb / (high - low)
        both = mean * (1 - mean) / sd**2 - 1
        return low + (high - low) * rng.beta(mean * both, (1 - mean) * both, count)
    centre = _truncated_normal_centre(spread)
    return _truncated_normal(centre, spread.sd_memory_gb, low, high).ppf(rng.random(count))


@cache
def _truncated_normal_centre(spread: Spread) -> float:
    """Centre whose normal law, truncated to the range of memory, has the mean wanted."""
    low, high = spread.memory_range_gb
    return scipy.optimize.brentq(
        lambda c: _truncated_normal(c, spread.sd_memory_gb, low, high).mean() - MEAN_MEMORY_GB, low, high
    )


def _truncated_normal(centre: float, sd: float, low: float, high: float):
    return scipy.stats.truncnorm((low - centre) / sd, (high - centre) / sd, loc=centre, scale=sd)


def dynamic_memory_gb(rng: np.random.Generator, kind: np.ndarray) -> np.ndarray:
    """Memory per node of each phase of dynamic jobs; `kind` is the truncation of its job (0..3)."""
    share = rng.random(len(kind))
    drawn = np.empty(len(kind))
    for k, (low, high) in enumerate(DYNAMIC_TRUNCATIONS_GB):
        drawn[kind == k] = _truncated_normal(*DYNAMIC_MEMORY_GB, low, high).ppf(share[kind == k])
    return drawn


@cache
def dynamic_profile(kind: int) -> tuple[np.ndarray, np.ndarray]:
    """Law of a truncation as a memory profile: levels of 1 GB (atom at the upper edge) and their probabilities."""
    low, high = DYNAMIC_TRUNCATIONS_GB[kind]
    edges = np.arange(low, high + 1)
    return edges[1:], np.diff(_truncated_normal(*DYNAMIC_MEMORY_GB, low, high).cdf(edges))


def releases_s(
    sizes: np.ndarray, machine_nodes: int, work_s: float, load: float, rule: str, mean_length_s: float = MEAN_LENGTH_S
) -> np.ndarray:
    """Release times: the first 10 % of jobs at 0, each later one a gap after the one before.

    The gap of a job of c nodes is E[N_p] E[L] c / (load P) with `work_s` = E[N_p] E[L], so that released work comes at
    the load; as printed in the paper it is 0.9 * 10 E[L] c / P, `mean_length_s` being E[L].
    """
    per_node = work_s / load if rule == "load" else 9 * mean_length_s
    gaps = per_node * sizes / machine_nodes
    gaps[: len(sizes) // 10] = 0
    return np.cumsum(gaps)
