"""Intervals of measures of pairs, whose rows depend on each other where they have a member in common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy


def jackknife(value: Callable[[np.ndarray], float], members: np.ndarray, apps: int) -> tuple[float, float, float]:
    """A measure and its 95 % interval over applications: value, lower and upper end (nan where not defined).

    value: the measure of the chosen rows (bool mask); members: applications of each row (rows, m). Delete-one jackknife
    of Efron and Stein (1981), Student's t with one degree less than applications.
    """
    whole = value(np.ones(len(members), dtype=bool))
    without = np.array([value(~(members == app).any(axis=1)) for app in range(apps)])
    if not np.isfinite(without).all():
        return whole, np.nan, np.nan
    error = np.sqrt((apps - 1) / apps * ((without - without.mean()) ** 2).sum())
    half = scipy.stats.t.ppf(0.975, apps - 1) * error
    return whole, whole - half, whole + half
