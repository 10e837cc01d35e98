"""Probability laws: distribution function, quantile and mean agree with each other and with scipy's laws."""

import numpy as np
import pytest
from scipy import stats

from pipeline.statistics import laws

EXAMPLES = {
    "constant": {"value": 7.5},
    "discrete_uniform": {"min": 2, "max": 9},
    "geometric": {"p": 0.2},
    "truncated_geometric": {"log_ratio": -0.3, "min": 1, "max": 40},
    "zipf": {"exponent": 1.4, "min": 2, "max": 64},
    "rounded_lognormal": {"mu": 1.5, "sigma": 1.2},
    "exponential": {"scale": 40},
    "lognormal": {"mu": 4, "sigma": 1.1},
    "weibull": {"shape": 0.7, "scale": 300},
    "gamma": {"shape": 2.5, "scale": 11},
    "uniform": {"min": 3, "max": 8},
    "beta": {"alpha": 1.2, "beta": 2, "min": 2, "max": 242},
    "truncated_normal": {"mu": 80, "sigma": 60, "min": 2, "max": 242},
}
INTEGER = ("discrete_uniform", "geometric", "truncated_geometric", "zipf", "rounded_lognormal")


def test_every_law_has_an_example_here():
    assert set(EXAMPLES) == set(laws.PARAMETERS)
    assert {name: set(example) for name, example in EXAMPLES.items()} == {
        name: set(wanted) for name, wanted in laws.PARAMETERS.items()
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_quantile_inverts_the_distribution_function(name):
    law = laws.build(name, EXAMPLES[name])
    share = (np.arange(4000) + 0.5) / 4000
    drawn = law.quantile(share)
    assert (law.cdf(drawn) >= share - 1e-9).all()
    below = law.cdf if law.cdf_below is None else law.cdf_below
    assert (below(drawn) <= share + 1e-9).all()
    assert (np.diff(drawn) >= 0).all()
    if name in INTEGER:
        assert (drawn == np.rint(drawn)).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_mean_is_that_of_what_is_drawn(name):
    law = laws.build(name, EXAMPLES[name])
    # Stratified shares: the mean of a million quantiles misses a heavy tail by far less than one in a thousand.
    drawn = law.quantile((np.arange(1_000_000) + 0.5) / 1_000_000)
    assert law.mean == pytest.approx(drawn.mean(), rel=1e-3)
    if name in INTEGER:
        assert law.mean_clipped(8) == pytest.approx(np.minimum(drawn, 8).mean(), rel=1e-5)
        up_to = law.quantile_up_to((np.arange(100_000) + 0.5) / 100_000, 8)
        assert up_to.max() <= 8
        assert up_to.mean() == pytest.approx(drawn[drawn <= 8].mean(), rel=1e-3)


def test_zipf_is_scipys_and_a_truncated_geometric_is_a_cut_geometric():
    n = np.arange(1, 65)
    ours = laws.build("zipf", {"exponent": 1.4, "min": 1, "max": 64})
    np.testing.assert_allclose(ours.cdf(n), stats.zipfian(1.4, 64).cdf(n), rtol=1e-12)
    cut = laws.build("truncated_geometric", {"log_ratio": np.log(0.8), "min": 1, "max": 64})
    law = stats.geom(0.2)
    np.testing.assert_allclose(cut.cdf(n), law.cdf(n) / law.cdf(64), rtol=1e-12)


def test_the_rounded_lognormal_is_the_lognormal_between_half_integers():
    law = stats.lognorm(s=1.2, scale=np.exp(1.5))
    n = np.arange(1, 200)
    np.testing.assert_allclose(laws.build("rounded_lognormal", EXAMPLES["rounded_lognormal"]).cdf(n), law.cdf(n + 0.5))
    # A heavy tail beyond what is summed integer by integer: rounding up or down cancels there.
    heavy = laws.build("rounded_lognormal", {"mu": 6, "sigma": 3})
    assert heavy.mean == pytest.approx(np.exp(6 + 4.5), rel=1e-3)


def test_normal_probabilities_of_intervals_are_accurate_in_both_tails():
    low, high = np.array([-40.0, -1.0, 10.0, 37.0, -np.inf]), np.array([-39.0, 2.0, 11.0, 38.0, 0.0])
    expected = [
        stats.norm.logsf(39) + np.log1p(-np.exp(stats.norm.logsf(40) - stats.norm.logsf(39))),
        np.log(stats.norm.cdf(2) - stats.norm.cdf(-1)),
        stats.norm.logsf(10) + np.log1p(-np.exp(stats.norm.logsf(11) - stats.norm.logsf(10))),
        stats.norm.logsf(37) + np.log1p(-np.exp(stats.norm.logsf(38) - stats.norm.logsf(37))),
        np.log(0.5),
    ]
    np.testing.assert_allclose(laws.log_difference(low, high), expected, rtol=1e-9)


def test_an_exact_empirical_law_is_a_step_function():
    law = laws.empirical([1, 2, 8], [0.25, 0.75, 1.0], exact=True, integer=True)
    assert law.quantile(np.array([0.1, 0.25, 0.26, 0.75, 0.99])).tolist() == [1, 1, 2, 2, 8]
    assert law.cdf(np.array([0, 1, 5, 8, 9])).tolist() == [0, 0.25, 0.75, 1, 1]
    assert law.cdf_below(np.array([1, 2, 8])).tolist() == [0, 0.25, 0.75]
    assert law.mean == pytest.approx(0.25 + 1 + 2)
    assert law.mean_clipped(3) == pytest.approx(0.25 + 1 + 0.75)


def test_an_empirical_law_of_points_is_linear_between_them():
    law = laws.empirical([0, 10, 110], [0.2, 0.6, 1.0], exact=False, integer=False)
    assert law.quantile(np.array([0.1, 0.2, 0.4, 0.8])) == pytest.approx([0, 0, 5, 60])
    assert law.cdf(np.array([-1, 0, 5, 60, 200])) == pytest.approx([0, 0.2, 0.4, 0.8, 1])
    assert law.mean == pytest.approx(0.4 * 5 + 0.4 * 60)
    integer = laws.empirical([1, 5], [0.5, 1.0], exact=False, integer=True)
    assert integer.quantile(np.array([0.3, 0.5, 0.6, 0.625, 0.63, 1.0])).tolist() == [1, 1, 2, 2, 3, 5]
    assert integer.mean == pytest.approx(0.5 * 1 + 0.125 * (2 + 3 + 4 + 5))


def test_unknown_laws_and_missing_parameters_are_named():
    with pytest.raises(ValueError, match=r"unknown law 'weibul'; did you mean 'weibull'"):
        laws.build("weibul", {})
    with pytest.raises(ValueError, match="law gamma: missing parameter scale; found shape"):
        laws.build("gamma", {"shape": 1})


def test_the_mean_of_integers_is_the_sum_of_what_lies_above_each_and_had_without_a_table_of_them():
    values, shares = np.array([3.0, 10.0, 11.0, 200.0]), np.array([0.1, 0.4, 0.7, 1.0])
    law = laws.empirical(values, shares, exact=False, integer=True)
    assert law.mean == pytest.approx((1 - law.cdf(np.arange(200))).sum(), rel=1e-12)
    assert laws.empirical(values * 1e15, shares, exact=False, integer=True).mean > 1e15
