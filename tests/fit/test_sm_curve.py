"""Run time against SMs, T = a/m + b: against scipy's non-negative least squares and linear regression."""

import numpy as np
import polars as pl
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.fit import sm_curve

TIMES = st.lists(st.floats(0.01, 1e3), min_size=2, max_size=12)


def curve(times, sms=None, app="a"):
    sms = list(sms or range(1, len(times) + 1))
    return pl.DataFrame({"app": [app] * len(times), "sms": sms, "time_s": times})


@pytest.mark.slow
@settings(deadline=None, max_examples=200)
@given(TIMES)
def test_as_scipys_non_negative_least_squares(times):
    sms = np.arange(1, len(times) + 1)
    row = sm_curve.fit(curve(times)).row(0, named=True)
    design = np.column_stack([1 / sms, np.ones(len(sms))])
    _, theirs = scipy.optimize.nnls(design, np.array(times))
    ours = np.linalg.norm(design @ [row["a"], row["b"]] - times)
    assert row["a"] >= 0
    assert row["b"] >= 0
    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9 * max(times))


def test_as_linear_regression_where_it_is_admissible():
    rng = np.random.default_rng(4)
    sms = np.array([7, 14, 28, 56, 98])
    times = 30 / sms + 0.4 + rng.normal(0, 0.01, len(sms))
    row = sm_curve.fit(curve(times.tolist(), sms.tolist())).row(0, named=True)
    theirs = scipy.stats.linregress(1 / sms, times)
    assert row["a"] == pytest.approx(theirs.slope)
    assert row["b"] == pytest.approx(theirs.intercept)
    assert row["r2"] == pytest.approx(theirs.rvalue**2)


def test_an_exact_curve_is_found_and_rows_may_stand_anyhow():
    points = curve([10 / m + 0.25 for m in range(1, 9)])
    row = sm_curve.fit(points).row(0, named=True)
    assert (row["a"], row["b"], row["r2"]) == pytest.approx((10, 0.25, 1))
    assert sm_curve.fit(points.sample(fraction=1.0, shuffle=True, seed=1)).equals(sm_curve.fit(points))


def test_scaling_times_scales_the_fit():
    points = curve([9.0, 5.1, 3.7, 3.0])
    one, thousand = sm_curve.fit(points), sm_curve.fit(points.with_columns(pl.col("time_s") * 1000))
    for name, factor in (("a", 1000), ("b", 1000), ("r2", 1)):
        assert thousand[name].item() == pytest.approx(one[name].item() * factor)


def test_flat_curves_have_no_quality_and_one_point_no_fit(caplog):
    fitted = sm_curve.fit(pl.concat([curve([2.0, 2.0], app="flat"), curve([1.0], app="lonely")]))
    assert fitted.rows() == [("flat", 0.0, 2.0, None)]
    assert "lonely" in caplog.text


@pytest.mark.parametrize(
    ("frame", "sentence"),
    [
        (curve([1.0, 2.0]).drop("sms"), "no column sms"),
        (curve([1.0, -2.0]), "time_s is -2.0"),
        (curve([1.0, float("nan")]), "time_s is nan"),
        (curve([1.0, 2.0], sms=[0, 1]), "sms is 0"),
    ],
)
def test_bad_curves_are_named(frame, sentence):
    with pytest.raises(ValueError, match=sentence):
        sm_curve.fit(frame)
