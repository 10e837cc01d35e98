"""Estimates of the parameters of laws from weighted values, by maximum likelihood unless said otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy

from pipeline.statistics import laws

SMALLEST_SIGMA = 0.01
"""Rounded lognormal: values on two neighbouring integers fit ever better as sigma goes to 0; it gets no smaller."""
WIDEST = 50.0
"""Truncated normal: a centre or sigma of more than so many ranges means that the values follow no normal law."""
BARRED = 1e9
"""Loss where a simplex is not to go."""

Parameters = dict[str, float] | None
"""Parameters of `laws.build`; None where the values do not determine them."""


@dataclass(frozen=True)
class Values:
    """Distinct values in increasing order with the share of the weight at each and up to each; `count` as given."""

    at: np.ndarray
    share: np.ndarray
    reached: np.ndarray
    count: int

    @classmethod
    def of(cls, values: np.ndarray, weights: np.ndarray | None = None) -> Values:
        """From values with their weights (positive; all alike by default). Raises ValueError where there are none."""
        if not values.size:
            raise ValueError("a law needs at least one value")
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        first = np.flatnonzero(np.append(True, np.diff(ordered) > 0))
        if weights is None:
            total = np.diff(np.append(first, values.size)).astype(float)
        else:
            total = np.add.reduceat(weights[order], first)
        return cls.of_levels(ordered[first], total, values.size)

    @classmethod
    def of_levels(cls, at: np.ndarray, weight: np.ndarray, count: int) -> Values:
        """From distinct values in increasing order, the weight at each, and how many values they represent."""
        reached = np.cumsum(weight)
        return cls(at, weight / reached[-1], reached / reached[-1], count)

    @property
    def mean(self) -> float:
        """Weighted mean."""
        return float(self.share @ self.at)

    @property
    def sd(self) -> float:
        """Population standard deviation."""
        return float(np.sqrt(self.share @ (self.at - self.mean) ** 2))

    def quantile(self, share: np.ndarray) -> np.ndarray:
        """Smallest value that the share is reached at."""
        return self.at[self.index(share)]

    def index(self, share: np.ndarray) -> np.ndarray:
        """Position among the distinct values of the one that a share is reached at."""
        return np.minimum(np.searchsorted(self.reached, share), self.at.size - 1)

    def ks_distance(self, law: laws.Law) -> float:
        """Kolmogorov–Smirnov distance to a law: the largest difference of the distribution functions."""
        before = np.append(0.0, self.reached[:-1])
        cdf = law.cdf(self.at)
        below = cdf if law.cdf_below is None else law.cdf_below(self.at)
        return float(max(np.abs(cdf - self.reached).max(), np.abs(below - before).max()))


def constant(values: Values) -> Parameters:
    """One value."""
    return {"value": float(values.at[0])} if values.at.size == 1 else None


def discrete_uniform(values: Values) -> Parameters:
    """All integers of the range alike."""
    return _range(values) if _some_integers(values) else None


def uniform(values: Values) -> Parameters:
    """The range alike."""
    return _range(values) if values.at.size > 1 else None


def geometric(values: Values) -> Parameters:
    """p = 1 / mean."""
    return {"p": 1 / values.mean} if values.at.size > 1 else None


def truncated_geometric(values: Values) -> Parameters:
    """The ratio at which the law on the integers of the range has the mean of the values."""
    slope = _slope(values, lambda n: n)
    return None if slope is None else {"log_ratio": slope} | _range(values)


def zipf(values: Values) -> Parameters:
    """The exponent at which the law on the integers of the range has the mean logarithm of the values."""
    slope = _slope(values, np.log)
    return None if slope is None else {"exponent": -slope} | _range(values)


def rounded_lognormal(values: Values) -> Parameters:
    """Likelihood of each integer n being that of the interval (n - 1/2, n + 1/2), of 1 that of (0, 3/2)."""
    if values.at.size == 1:
        return None
    with np.errstate(divide="ignore"):
        low = np.log(np.where(values.at > 1, values.at - 0.5, 0.0))
    high = np.log(values.at + 0.5)

    def loss(point: np.ndarray) -> float:
        mu, sigma = point[0], max(np.exp(point[1]), SMALLEST_SIGMA)
        return -float(values.share @ np.maximum(laws.log_difference((low - mu) / sigma, (high - mu) / sigma), -1e6))

    mu, log_sigma = _minimum(loss, *_start(values))
    return {"mu": mu, "sigma": max(float(np.exp(log_sigma)), SMALLEST_SIGMA)}


def exponential(values: Values) -> Parameters:
    """Scale = mean."""
    return {"scale": values.mean} if values.at.size > 1 else None


def lognormal(values: Values) -> Parameters:
    """Mean and sd of the logarithms."""
    if values.at.size == 1:
        return None
    mu, log_sigma = _start(values)
    return {"mu": mu, "sigma": float(np.exp(log_sigma))}


def weibull(values: Values) -> Parameters:
    """Shape k solving sum(w x^k log x) / sum(w x^k) - 1 / k = mean log x; then scale^k = mean of x^k."""
    if values.at.size == 1:
        return None
    logs = np.log(values.at)
    centre = float(values.share @ logs)
    y = logs - centre

    def powers(shape: float) -> np.ndarray:
        return values.share * np.exp(shape * (y - y[-1]))

    def slope(shape: float) -> float:
        p = powers(shape)
        return float(p @ y / p.sum()) - 1 / shape

    low = high = 1 / float(np.sqrt(values.share @ y**2))
    while slope(low) > 0:
        low /= 2
    while slope(high) < 0:
        high *= 2
    shape = low if low == high else float(scipy.optimize.brentq(slope, low, high, rtol=1e-12))
    log_scale = float(np.log(powers(shape).sum())) / shape + y[-1] + centre
    return {"shape": shape, "scale": float(np.exp(log_scale))}


def gamma(values: Values) -> Parameters:
    """Shape a solving log a - digamma(a) = log mean - mean log, which lies between 1 / (2 a) and 1 / a."""
    gap = float(np.log(values.mean) - values.share @ np.log(values.at))
    if values.at.size == 1 or not gap > 1e-12:
        return None
    shape = scipy.optimize.brentq(
        lambda a: np.log(a) - scipy.special.digamma(a) - gap, 0.499 / gap, 1.001 / gap, rtol=1e-12
    )
    return {"shape": float(shape), "scale": values.mean / float(shape)}


def beta(values: Values) -> Parameters:
    """By moments, on the range of the values: at its ends the likelihood of a beta is 0 or infinite."""
    if values.at.size == 1:
        return None
    mean, sd, _ = _scaled(values)
    both = mean * (1 - mean) / sd**2 - 1 if sd**2 > 0 else 0.0
    # Values at the two ends, or as good as alike, leave nothing between them for a beta to spread over.
    if not both > 1e-9:
        return None
    return {"alpha": mean * both, "beta": (1 - mean) * both} | _range(values)


def truncated_normal(values: Values) -> Parameters:
    """A normal law cut to the range of the values."""
    if values.at.size == 1:
        return None
    mean, sd, span = _scaled(values)
    if sd == 0:
        return None

    def loss(point: np.ndarray) -> float:
        mu, sigma = point[0], np.exp(min(point[1], np.log(2 * WIDEST)))
        if abs(mu) > 2 * WIDEST or sigma >= 2 * WIDEST:
            return BARRED
        mass = float(laws.log_difference(-mu / sigma, (1 - mu) / sigma))
        return point[1] + mass + ((mean - mu) ** 2 + sd**2) / (2 * sigma**2)

    mu, log_sigma = _minimum(loss, mean, float(np.log(sd)))
    sigma = float(np.exp(log_sigma))
    if max(abs(mu), sigma) > WIDEST:
        return None
    return {"mu": float(values.at[0]) + mu * span, "sigma": sigma * span} | _range(values)


def _range(values: Values) -> dict[str, float]:
    return {"min": float(values.at[0]), "max": float(values.at[-1])}


def _some_integers(values: Values) -> bool:
    """Whether the range holds more integers than one, and no more than a law has a table of."""
    return 0 < values.at[-1] - values.at[0] < laws.MOST_INTEGERS


def _scaled(values: Values) -> tuple[float, float, float]:
    """Mean and sd of the values on the scale of their range, and the range."""
    span = float(values.at[-1] - values.at[0])
    return (values.mean - float(values.at[0])) / span, values.sd / span, span


def _start(values: Values) -> tuple[float, float]:
    """Mean of the logarithms, and logarithm of their sd."""
    logs = np.log(values.at)
    mu = float(values.share @ logs)
    return mu, float(np.log(np.sqrt(values.share @ (logs - mu) ** 2)))


def _slope(values: Values, statistic: Callable[[np.ndarray], np.ndarray]) -> float | None:
    """θ of P(n) proportional to exp(θ T(n)) on the integers of the range: its E[T] is the mean of T over the values."""
    if not _some_integers(values):
        return None
    of_integers = statistic(laws.integers(values.at[0], values.at[-1]))
    wanted = float(values.share @ statistic(values.at))

    def excess(slope: float) -> float:
        return float(laws.power_shares(of_integers, slope) @ of_integers) - wanted

    reach = 1 / float(of_integers[-1] - of_integers[0])
    while excess(-reach) > 0 or excess(reach) < 0:
        reach *= 2
    return float(scipy.optimize.brentq(excess, -reach, reach, xtol=1e-14, rtol=1e-12))


def _minimum(loss: Callable[[np.ndarray], float], first: float, second: float) -> tuple[float, float]:
    """Point of least loss, from a start nearby (Nelder and Mead's simplex)."""
    simplex = np.array([[first, second], [first + 0.1, second], [first, second + 0.1]])
    optimum = scipy.optimize.minimize(
        loss,
        simplex[0],
        method="Nelder-Mead",
        options={"initial_simplex": simplex, "xatol": 1e-9, "fatol": 1e-13, "maxiter": 2000, "maxfev": 4000},
    )
    return float(optimum.x[0]), float(optimum.x[1])
