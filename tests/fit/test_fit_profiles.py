"""Stochastic memory profiles: by hand, sums, bins."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pipeline.fit.profiles import stochastic, upper_edge


def phases(rows):
    return pl.DataFrame(rows, schema=["series_id", "phase", "start_s", "end_s", "memory_gb"], orient="row")


def test_share_of_time_at_each_level_by_hand():
    # a: 10 s at 4 GB, 30 s at 2 GB, 40 s at 4 GB; b: one level.
    law = stochastic(phases([("b", 0, 5, 6, 7), ("a", 0, 0, 10, 4), ("a", 2, 40, 80, 4), ("a", 1, 10, 40, 2)]))
    assert law.rows() == [("a", 2.0, 0.375), ("a", 4.0, 0.625), ("b", 7.0, 1.0)]
    assert law.schema == {"series_id": pl.String, "memory_gb": pl.Float64, "probability": pl.Float64}


def test_bins_are_open_below_and_named_by_their_upper_edge():
    levels = [0.0, 0.5, 10.0, 10.1, 20.0, 35.0]
    law = stochastic(phases([(1, k, k, k + 1, m) for k, m in enumerate(levels)]), bin_gb=10)
    assert law.rows() == [(1, 0.0, 1 / 6), (1, 10.0, 2 / 6), (1, 20.0, 2 / 6), (1, 40.0, 1 / 6)]


@pytest.mark.parametrize("width", [0.1, 0.2, 0.3, 0.7, 1.0, 2.5])
def test_edges_lie_in_the_bin_below_them_whatever_the_rounding(width):
    k = np.arange(0, 3000)
    edges = k * width
    np.testing.assert_array_equal(upper_edge(edges, width), edges)
    np.testing.assert_array_equal(upper_edge(np.nextafter(edges, np.inf), width), (k + 1) * width)
    np.testing.assert_array_equal(upper_edge(np.nextafter(edges[1:], 0), width), edges[1:])


@pytest.mark.parametrize("bin_gb", [None, 5.0])
def test_probabilities_sum_to_one_and_levels_increase(bin_gb):
    rng = np.random.default_rng(3)
    rows = []
    for name in range(100):
        ends = np.cumsum(rng.lognormal(5, 3, rng.integers(1, 300)))
        starts = np.append(0, ends[:-1])
        rows += zip([name] * ends.size, range(ends.size), starts, ends, rng.integers(0, 200, ends.size), strict=True)
    given = phases(rows)
    law = stochastic(given, bin_gb)
    totals = law.group_by("series_id").agg(
        pl.col("probability").sum(), levels=pl.col("memory_gb").diff().drop_nulls().min()
    )
    assert (totals["probability"] - 1).abs().max() <= 1e-12
    assert totals["levels"].drop_nulls().min() > 0
    assert law["probability"].min() > 0
    # The mean over time is the same law's mean, binned or not by at most one width.
    mean = law.group_by("series_id").agg(m=(pl.col("memory_gb") * pl.col("probability")).sum()).sort("series_id")["m"]
    length = pl.col("end_s") - pl.col("start_s")
    true = given.group_by("series_id").agg(m=(length * pl.col("memory_gb")).sum() / length.sum()).sort("series_id")["m"]
    np.testing.assert_array_less(true.to_numpy() - 1e-9, mean.to_numpy() + 1e-9)
    np.testing.assert_array_less(mean.to_numpy(), true.to_numpy() + (bin_gb or 1e-9) + 1e-9)
    assert_frame_equal(stochastic(given.sample(fraction=1, shuffle=True, seed=8), bin_gb), law, check_exact=True)


def test_empty_phases_give_an_empty_law():
    empty = phases([(1, 0, 0.0, 1.0, 2.0)]).clear()
    assert stochastic(empty).rows() == []
    assert stochastic(empty, 5.0).columns == ["series_id", "memory_gb", "probability"]


def test_unusable_phases_are_refused():
    with pytest.raises(ValueError, match=r"series 'x': phase 1 lasts 0\.0 s"):
        stochastic(phases([("x", 0, 0, 1, 3), ("x", 1, 1, 1, 3)]))
    with pytest.raises(ValueError, match="missing column memory_gb"):
        stochastic(phases([("x", 0, 0, 1, 3)]).drop("memory_gb"))
    with pytest.raises(ValueError, match="bin_gb is 0"):
        stochastic(phases([("x", 0, 0, 1, 3)]), bin_gb=0)
