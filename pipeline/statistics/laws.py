"""Probability laws by name and parameters: what `fit` estimates and workloads are drawn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import scipy

from pipeline.runtime.wording import did_you_mean

Function = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Law:
    """A law of one quantity.

    cdf: P(X <= x), of arrays; quantile: smallest x with P(X <= x) >= share, of shares in (0, 1); mean: E[X]; cdf_below:
    P(X < x) where it differs from P(X <= x), else None.
    """

    cdf: Function
    quantile: Function
    mean: float
    cdf_below: Function | None = None

    def mean_clipped(self, most: int) -> float:
        """E[min(X, most)] of a law on the integers 0, 1, 2, …"""
        return float((1 - self.cdf(np.arange(most, dtype=float))).sum())

    def quantile_up_to(self, share: np.ndarray, most: float) -> np.ndarray:
        """Quantiles of X given X <= most."""
        return self.quantile(share * float(self.cdf(np.array([float(most)]))[0]))


MOST_INTEGERS = 1 << 22
"""Integers that a law has a table of; no machine has as many nodes, and no job as many phases."""


def build(name: str, parameters: Mapping[str, float]) -> Law:
    """The law of a name with the parameters of `PARAMETERS`; others are passed over.

    Raises ValueError for an unknown name or a missing parameter.
    """
    if name not in PARAMETERS:
        raise ValueError(f"unknown law {name!r}{did_you_mean(name, PARAMETERS)}; known: {', '.join(PARAMETERS)}")
    missing = [key for key in PARAMETERS[name] if key not in parameters]
    if missing:
        raise ValueError(f"law {name}: missing parameter {', '.join(missing)}; found {', '.join(parameters) or 'none'}")
    return _BUILDERS[name](*(float(parameters[key]) for key in PARAMETERS[name]))


def empirical(values: np.ndarray, shares: np.ndarray, exact: bool, integer: bool) -> Law:
    """Law of the points of a distribution function: P(X <= values[i]) = shares[i], the last share being 1.

    exact: the points are all values there are, the function is a step at each. Otherwise it is linear between them (of
    an integer law, whose points are integers: at the integers between them).
    """
    values, shares = np.asarray(values, float), np.asarray(shares, float)
    weight = np.diff(shares, prepend=0.0)
    if exact:
        before = np.append(0.0, shares)
        return Law(
            lambda x: before[np.searchsorted(values, x, side="right")],
            lambda share: values[np.minimum(np.searchsorted(shares, share), values.size - 1)],
            float(weight @ values),
            lambda x: before[np.searchsorted(values, x, side="left")],
        )

    def cdf(x: np.ndarray) -> np.ndarray:
        return np.where(x < values[0], 0.0, np.interp(np.floor(x) if integer else x, values, shares))

    if integer:
        mean = _mean_above(values, shares)
        # A share that a point reaches exactly must not round up to the integer above it.
        return _of_integers(cdf, lambda share: np.ceil(np.interp(share, shares, values) - 1e-9), mean)
    middle = (values + np.append(values[0], values[:-1])) / 2
    return Law(cdf, lambda share: np.interp(share, shares, values), float(weight @ middle))


def log_difference(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Logarithm of the standard normal probability of (low, high), accurate in both tails."""
    low, high = np.broadcast_arrays(np.asarray(low, float), np.asarray(high, float))
    upper_tail = low > 0
    low, high = np.where(upper_tail, -high, low), np.where(upper_tail, -low, high)
    log_high = scipy.special.log_ndtr(high)
    with np.errstate(divide="ignore"):
        return log_high + np.log1p(-np.exp(scipy.special.log_ndtr(low) - log_high))


def power_shares(statistic: np.ndarray, slope: float) -> np.ndarray:
    """Probabilities proportional to exp(slope * statistic)."""
    logits = slope * statistic
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def integers(low: float, high: float) -> np.ndarray:
    """low, low + 1, …, high. Raises ValueError for more than MOST_INTEGERS of them."""
    if high - low >= MOST_INTEGERS:
        raise ValueError(f"a law on all integers from {low:g} to {high:g} would take a table of all of them")
    return np.arange(low, high + 1)


def _mean_above(values: np.ndarray, shares: np.ndarray) -> float:
    """E[X], the sum of P(X > n), of a law on the integers whose distribution function is linear between `values`."""
    wide = np.diff(values)
    return float(values[0] + (wide * (1 - shares[:-1]) - np.diff(shares) * (wide - 1) / 2).sum())


def _of_integers(cdf: Function, quantile: Function, mean: float) -> Law:
    return Law(cdf, quantile, mean, lambda x: cdf(np.ceil(x) - 1))


def _of_scipy(law) -> Law:
    return Law(law.cdf, law.ppf, float(law.mean()))


def _of_scipy_integers(law) -> Law:
    return _of_integers(law.cdf, law.ppf, float(law.mean()))


def _constant(value: float) -> Law:
    return empirical(np.array([value]), np.ones(1), exact=True, integer=False)


def _tabulated(statistic: Function, slope: float, low: float, high: float) -> Law:
    values = integers(low, high)
    reached = np.cumsum(power_shares(statistic(values), slope))
    reached[-1] = 1.0
    return empirical(values, reached, exact=True, integer=True)


def _rounded_lognormal(mu: float, sigma: float) -> Law:
    def cdf(x: np.ndarray) -> np.ndarray:
        whole = np.floor(x)
        return np.where(whole < 1, 0.0, scipy.special.ndtr((np.log(np.maximum(whole, 1) + 0.5) - mu) / sigma))

    def quantile(share: np.ndarray) -> np.ndarray:
        return np.maximum(np.rint(np.exp(mu + sigma * scipy.special.ndtri(share))), 1.0)

    # E[N] = sum of P(N > n); beyond the last integer summed, rounding changes the mean by less than that tail weighs.
    last = int(np.ceil(np.exp(min(mu + 6 * sigma, 14.0))))
    tail = np.exp(mu + sigma**2 / 2) * scipy.special.ndtr((mu + sigma**2 - np.log(last + 0.5)) / sigma)
    beyond = float(tail - (last + 0.5) * (1 - cdf(np.array([float(last)]))[0]))
    return _of_integers(cdf, quantile, float((1 - cdf(np.arange(last + 1.0))).sum()) + max(beyond, 0.0))


def _truncated_normal(mu: float, sigma: float, low: float, high: float) -> Law:
    return _of_scipy(scipy.stats.truncnorm((low - mu) / sigma, (high - mu) / sigma, loc=mu, scale=sigma))


PARAMETERS: dict[str, tuple[str, ...]] = {
    "constant": ("value",),
    "discrete_uniform": ("min", "max"),
    "geometric": ("p",),
    "truncated_geometric": ("log_ratio", "min", "max"),
    "zipf": ("exponent", "min", "max"),
    "rounded_lognormal": ("mu", "sigma"),
    "exponential": ("scale",),
    "lognormal": ("mu", "sigma"),
    "weibull": ("shape", "scale"),
    "gamma": ("shape", "scale"),
    "uniform": ("min", "max"),
    "beta": ("alpha", "beta", "min", "max"),
    "truncated_normal": ("mu", "sigma", "min", "max"),
}
"""Laws and their parameters. On the integers 1, 2, …: geometric (P(n) = p (1 - p)^(n - 1)) and rounded_lognormal
(max(1, round(X)) of a lognormal X); on the integers min..max: discrete_uniform, truncated_geometric (P(n + 1) / P(n) =
exp(log_ratio)) and zipf (P(n) proportional to n^-exponent); the others are continuous. mu and sigma are those of the
logarithm, or of the normal law before truncation."""

_BUILDERS: dict[str, Callable[..., Law]] = {
    "constant": _constant,
    "discrete_uniform": lambda low, high: _tabulated(lambda n: n, 0.0, low, high),
    "geometric": lambda p: _of_scipy_integers(scipy.stats.geom(p)),
    "truncated_geometric": lambda slope, low, high: _tabulated(lambda n: n, slope, low, high),
    "zipf": lambda exponent, low, high: _tabulated(np.log, -exponent, low, high),
    "rounded_lognormal": _rounded_lognormal,
    "exponential": lambda scale: _of_scipy(scipy.stats.expon(scale=scale)),
    "lognormal": lambda mu, sigma: _of_scipy(scipy.stats.lognorm(s=sigma, scale=np.exp(mu))),
    "weibull": lambda shape, scale: _of_scipy(scipy.stats.weibull_min(shape, scale=scale)),
    "gamma": lambda shape, scale: _of_scipy(scipy.stats.gamma(shape, scale=scale)),
    "uniform": lambda low, high: _of_scipy(scipy.stats.uniform(low, high - low)),
    "beta": lambda a, b, low, high: _of_scipy(scipy.stats.beta(a, b, loc=low, scale=high - low)),
    "truncated_normal": _truncated_normal,
}
