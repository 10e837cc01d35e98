"""The block bootstrap against what is known: means, Student's interval, coverage by simulation."""

import numpy as np
import pytest
from scipy import stats

from pipeline.statistics import bootstrap


def test_resamples_draw_as_many_blocks_as_there_are_and_are_always_the_same():
    drawn = bootstrap.weights(24)
    assert drawn.shape == (bootstrap.RESAMPLES, 24)
    assert (drawn.sum(axis=1) == 24).all()
    assert (drawn == bootstrap.weights(24)).all()
    assert drawn.mean(axis=0) == pytest.approx(1, abs=0.1)


def test_totals_are_sums_of_the_drawn_blocks():
    values = np.arange(12.0).reshape(4, 3)
    drawn = np.array([[1, 1, 1, 1], [4, 0, 0, 0], [0, 2, 0, 2]], float)
    assert (bootstrap.totals(drawn, values) == drawn @ values).all()


@pytest.mark.parametrize("blocks", [5, 20, 100])
def test_the_interval_of_a_mean_is_nearly_students(blocks):
    values = np.random.default_rng(blocks).normal(10, 2, (blocks, 1))
    means = bootstrap.totals(bootstrap.weights(blocks), values) / blocks
    low, high = bootstrap.interval(means, blocks)
    half = stats.t.ppf(0.975, blocks - 1) * values.std(ddof=1) / np.sqrt(blocks)
    assert (high - low)[0] / 2 == pytest.approx(half, rel=0.15)


def test_ratios_of_sums_are_covered_as_often_as_is_said():
    """Skewed blocks of correlated numerators and denominators, 20 of them: within three standard errors of 95 %."""
    rng, covered, trials = np.random.default_rng(1), 0, 400
    drawn = bootstrap.weights(20)
    for _ in range(trials):
        below = rng.lognormal(0, 0.5, 20)
        above = 0.7 * below + rng.normal(0, 0.1, 20)
        sums = bootstrap.totals(drawn, np.column_stack([above, below]))
        low, high = bootstrap.interval(sums[:, :1] / sums[:, 1:], 20)
        covered += low[0] <= 0.7 <= high[0]
    assert covered / trials == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / trials))


def test_a_column_with_a_resample_that_is_not_finite_has_no_interval():
    resampled = np.column_stack([np.linspace(0, 1, 100), np.r_[np.inf, np.zeros(99)]])
    low, high = bootstrap.interval(resampled, 10)
    assert np.isfinite([low[0], high[0]]).all() and np.isnan([low[1], high[1]]).all()
