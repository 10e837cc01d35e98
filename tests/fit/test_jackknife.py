"""Delete-one jackknife against a textbook formula."""

import numpy as np
import pytest
import scipy

from pipeline.fit.jackknife import jackknife


def test_the_jackknife_of_a_mean_is_the_t_interval():
    values = np.random.default_rng(5).normal(3, 2, 20)
    members = np.arange(20)[:, None]
    middle, lo, hi = jackknife(lambda keep: values[keep].mean(), members, 20)
    theirs = scipy.stats.t.interval(0.95, 19, values.mean(), scipy.stats.sem(values))
    assert (middle, lo, hi) == pytest.approx((values.mean(), *theirs))
