"""Values gathered piece by piece: exact while they fit, then exact shares at fewer levels, in any order and pieces."""

import numpy as np
import pytest

from pipeline.fit.levels import Levels


def gathered(values, weights, most, pieces=1):
    levels = Levels(2, most)
    for value, weight in zip(np.array_split(values, pieces), np.array_split(weights, pieces), strict=True):
        levels.add(value, weight, 2 * weight)
    return levels


def test_few_values_are_kept_as_they_are():
    values, weights = np.array([3.0, 0.0, 7.5, 3.0, -0.0]), np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    levels = gathered(values, weights, 3)
    assert levels.at.tolist() == [0.0, 3.0, 7.5]
    assert levels.weight.tolist() == [[18.0, 9.0, 4.0], [36.0, 18.0, 8.0]]
    assert levels.count == 5


@pytest.mark.parametrize("most", [100, 1000, 20_000])
def test_shares_at_the_levels_are_exact_and_neighbours_are_near(most):
    rng = np.random.default_rng(1)
    values, weights = rng.lognormal(3, 1.5, 20_000), rng.integers(1, 100, 20_000).astype(float)
    levels = gathered(values, weights, most)
    # Half of the bits at least are used: one more would not fit.
    assert most / 4 < levels.at.size <= most
    reached = np.cumsum(levels.weight[0])
    order = np.argsort(values)
    true = np.cumsum(weights[order])[np.searchsorted(values[order], levels.at, side="right") - 1]
    assert reached.tolist() == true.tolist()
    assert np.isin(levels.at, values).all()
    # A value stands at the next level; there are fewer levels than the bits that were dropped can distinguish.
    stands_at = levels.at[np.searchsorted(levels.at, values)]
    assert (stands_at / values - 1).max() < 2 * np.log2(values.max() / values.min()) / most * 4


def test_levels_do_not_depend_on_order_and_pieces():
    rng = np.random.default_rng(2)
    values, weights = rng.gamma(2, 50, 5000), rng.integers(1, 1000, 5000).astype(float)
    expected = gathered(values, weights, 500)
    for pieces in (1, 7, 5000):
        order = rng.permutation(values.size)
        again = gathered(values[order], weights[order], 500, pieces)
        assert again.at.tolist() == expected.at.tolist()
        assert again.weight.tolist() == expected.weight.tolist()
