"""What users do alike on every machine: the run times they ask for, and how unevenly they submit."""

from __future__ import annotations

import numpy as np

ESTIMATES_S = 60 * np.array([1, 5, 10, 15, 30, 60, 120, 180, 240, 360, 480, 720, 1080, 1440, 2160, 2880])
"""Run times that users ask for: few round values (Tsafrir, Etsion and Feitelson, JSSPP 2005)."""


def estimates_s(rng: np.random.Generator, runtime_s: np.ndarray) -> np.ndarray:
    """Run time asked for: the round value next above run time / accuracy.

    The accuracy of real estimates is spread about evenly (Mu'alem and Feitelson, TPDS 12(6), 2001); nobody asks for
    more than the longest value, nor for less than the run time.
    """
    asked = runtime_s / rng.uniform(0.05, 1.0, runtime_s.size)
    at = np.minimum(np.searchsorted(ESTIMATES_S, asked), ESTIMATES_S.size - 1)
    return np.maximum(ESTIMATES_S[at], runtime_s)


def user_numbers(rng: np.random.Generator, jobs: int) -> np.ndarray:
    """User numbers from 1, a few of them with most of the jobs."""
    users = np.arange(1, max(2, jobs // 20) + 1)
    return rng.choice(users, size=jobs, p=(1 / users) / (1 / users).sum())
