"""Estimates of laws: known parameters come back, likelihoods are maximal, distances are scipy's."""

import numpy as np
import pytest
from scipy import stats

from pipeline.fit import estimators
from pipeline.fit.estimators import Values
from pipeline.statistics import laws

COUNT = 20_000


def sample(name, parameters, seed=0):
    law = laws.build(name, parameters)
    return law.quantile(np.random.default_rng(seed).random(COUNT))


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("geometric", {"p": 0.13}),
        ("truncated_geometric", {"log_ratio": -0.15, "min": 1, "max": 23}),
        ("truncated_geometric", {"log_ratio": 0.2, "min": 1, "max": 12}),
        ("zipf", {"exponent": 1.3, "min": 1, "max": 100}),
        ("rounded_lognormal", {"mu": 0.4, "sigma": 0.9}),
        ("rounded_lognormal", {"mu": 3.0, "sigma": 0.6}),
        ("exponential", {"scale": 700}),
        ("lognormal", {"mu": 6, "sigma": 1.4}),
        ("weibull", {"shape": 0.6, "scale": 900}),
        ("weibull", {"shape": 3, "scale": 1e-3}),
        ("gamma", {"shape": 0.4, "scale": 500}),
        ("gamma", {"shape": 60, "scale": 5}),
        ("beta", {"alpha": 1.25, "beta": 1.66, "min": 2, "max": 242}),
        ("truncated_normal", {"mu": 90, "sigma": 40, "min": 2, "max": 242}),
        ("truncated_normal", {"mu": -20, "sigma": 60, "min": 2, "max": 242}),
        ("uniform", {"min": 2, "max": 242}),
        ("discrete_uniform", {"min": 1, "max": 23}),
    ],
)
def test_known_parameters_come_back(name, parameters):
    values = Values.of(sample(name, parameters))
    result = getattr(estimators, name)(values)
    law, true = laws.build(name, result), laws.build(name, parameters)
    # 1.63 / sqrt(n): a law that is not fitted exceeds it once in a hundred samples, a fitted one hardly ever.
    assert values.ks_distance(law) < 1.63 / np.sqrt(COUNT)
    share = (np.arange(100) + 0.5) / 100
    assert np.abs(law.cdf(true.quantile(share)) - true.cdf(true.quantile(share))).max() < 0.02
    for key, value in parameters.items():
        assert result[key] == pytest.approx(value, rel=0.06, abs=0.05 * abs(parameters.get("max", 0)))


@pytest.mark.parametrize("name", ["weibull", "gamma"])
def test_estimates_are_scipys(name):
    drawn = sample(name, {"shape": 1.7, "scale": 30})[:2000]
    result = getattr(estimators, name)(Values.of(drawn))
    of_scipy = {"weibull": stats.weibull_min, "gamma": stats.gamma}[name].fit(drawn, floc=0)
    assert (result["shape"], result["scale"]) == pytest.approx((of_scipy[0], of_scipy[2]), rel=1e-3)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("truncated_geometric", {"log_ratio": -0.15, "min": 1, "max": 23}),
        ("zipf", {"exponent": 1.3, "min": 1, "max": 100}),
        ("rounded_lognormal", {"mu": 0.4, "sigma": 0.9}),
    ],
)
def test_no_neighbour_of_an_estimate_is_likelier(name, parameters):
    values = Values.of(sample(name, parameters)[:3000])
    result = getattr(estimators, name)(values)

    def likelihood(point):
        law = laws.build(name, point)
        return values.share @ np.log(law.cdf(values.at) - law.cdf_below(values.at))

    free = [key for key in result if key not in ("min", "max")]
    for key in free:
        for factor in (0.98, 1.02):
            assert likelihood(result | {key: result[key] * factor}) < likelihood(result)


def test_weights_count_like_repeated_values():
    rng = np.random.default_rng(3)
    drawn, weights = rng.integers(1, 40, 300).astype(float), rng.integers(1, 6, 300)
    weighted, repeated = Values.of(drawn, weights.astype(float)), Values.of(np.repeat(drawn, weights))
    assert weighted.count == 300
    for name in laws.PARAMETERS:
        one, other = getattr(estimators, name)(weighted), getattr(estimators, name)(repeated)
        assert (one or {}) == pytest.approx(other or {}, rel=1e-6)
    assert weighted.mean == pytest.approx(np.average(drawn, weights=weights))
    assert weighted.sd == pytest.approx(np.std(np.repeat(drawn, weights)))


def test_distance_is_scipys():
    drawn = np.random.default_rng(4).gamma(2, 3, 500)
    law = stats.lognorm(s=0.8, scale=5)
    ours = Values.of(drawn).ks_distance(laws.build("lognormal", {"mu": np.log(5), "sigma": 0.8}))
    assert ours == pytest.approx(stats.kstest(drawn, law.cdf).statistic, abs=1e-12)


def test_extreme_scales_are_no_trouble():
    rng = np.random.default_rng(5)
    for scale in (1e-9, 1e9):
        drawn = scale * rng.weibull(0.3, 2000)
        values = Values.of(drawn)
        assert estimators.weibull(values)["shape"] == pytest.approx(0.3, rel=0.1)
        assert estimators.gamma(values)["scale"] > 0
        assert estimators.lognormal(values)["sigma"] > 1
    nearly_alike = Values.of(1000 + np.array([0.0, 1e-7, 2e-7]))
    assert nearly_alike.ks_distance(laws.build("weibull", estimators.weibull(nearly_alike))) < 0.6
    assert estimators.gamma(nearly_alike) is None
    # Half of the time at each end: no normal law, and nothing for a beta to spread over.
    ends = Values.of(np.array([3.0, 9.0]))
    assert estimators.beta(ends) is None
    assert estimators.truncated_normal(ends) is None
    assert estimators.rounded_lognormal(Values.of(np.array([1.0, 2.0])))["sigma"] < 0.1


def test_values_all_alike_determine_no_law_but_themselves():
    alike = Values.of(np.full(5, 4.5))
    estimates = {name: getattr(estimators, name)(alike) for name in laws.PARAMETERS}
    assert {name for name, parameters in estimates.items() if parameters is not None} == {"constant"}
    assert alike.ks_distance(laws.build("constant", estimates["constant"])) == 0
    with pytest.raises(ValueError, match="at least one value"):
        Values.of(np.empty(0))


def test_more_integers_than_a_table_holds_determine_no_law_on_them():
    wide = Values.of(np.array([1.0, 5.0, 9e18]))
    for name in ("discrete_uniform", "truncated_geometric", "zipf"):
        assert getattr(estimators, name)(wide) is None
        assert getattr(estimators, name)(Values.of(np.array([1.0, 5.0, 900.0]))) is not None
    with pytest.raises(ValueError, match=r"all integers from 1 to 9e\+18 would take a table"):
        laws.integers(1.0, 9e18)
