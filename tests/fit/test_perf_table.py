"""Algorithm 1 of PIM-CARE: profile points, interpolation of the speed, strict threshold; errors are sentences."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.fit import perf_table


def profile(times, max_ranks=30, app="A", **columns):
    points = perf_table.profile_points(max_ranks)
    frame = pl.DataFrame({"app": [app] * len(points), "ranks": points, "time_s": [float(times(r)) for r in points]})
    return frame.with_columns(**{name: pl.lit(value) for name, value in columns.items()})


def best(table):
    return table.filter("is_best")["ranks"].to_list()


def by_the_book(times_by_point, max_ranks, threshold):
    """Algorithm 1 rank by rank, with two neighbours and a straight line."""
    points = sorted(times_by_point)
    speed = {}
    for r in range(1, max_ranks + 1):
        low = max(p for p in points if p <= r)
        high = min(p for p in points if p >= r)
        at_low, at_high = 1 / times_by_point[low], 1 / times_by_point[high]
        speed[r] = at_low if low == high else at_low + (at_high - at_low) * (r - low) / (high - low)
    largest = max(speed.values())
    return {r: s / largest for r, s in speed.items()}, min(r for r, s in speed.items() if s / largest > threshold)


@pytest.mark.parametrize(
    ("max_ranks", "ratio", "points"),
    [
        (30, 0.2, [1, 6, 11, 16, 21, 26, 30]),
        (31, 0.2, [1, 6, 11, 16, 21, 26, 31]),
        (6, 0.2, [1, 6]),
        (1, 0.2, [1]),
        (4, 1.0, [1, 2, 3, 4]),
        (10, 0.3, [1, 4, 7, 10]),
        (10, 0.01, [1, 10]),
    ],
)
def test_profile_points_are_those_of_lines_1_to_3(max_ranks, ratio, points):
    assert perf_table.profile_points(max_ranks, ratio) == points


@pytest.mark.parametrize(("max_ranks", "ratio"), [(0, 0.2), (30, 0.0), (30, 1.5), (30, float("nan"))])
def test_impossible_machines_and_ratios_are_refused(max_ranks, ratio):
    with pytest.raises(ValueError, match=r"max_ranks is 0|ratio is"):
        perf_table.profile_points(max_ranks, ratio)


@given(
    times=st.lists(st.floats(0.01, 100), min_size=7, max_size=7),
    threshold=st.sampled_from([0.5, 0.9, 0.95, 0.99]),
)
def test_tables_equal_algorithm_1_done_by_hand(times, threshold):
    points = perf_table.profile_points(30)
    result = perf_table.build(pl.DataFrame({"app": ["A"] * 7, "ranks": points, "time_s": times}), 30, 0.2, threshold)
    perf, wanted = by_the_book(dict(zip(points, times, strict=True)), 30, threshold)
    assert result["perf"].to_list() == pytest.approx(list(perf.values()), rel=1e-12)
    # A perf at the threshold to the last digits is decided by rounding; it is not what this law is about.
    if all(abs(value - threshold) > 1e-10 for value in perf.values()):
        assert best(result) == [wanted]


def test_speed_not_time_is_linear_between_points():
    # Speeds 1 and 6 at 1 and 6 ranks: at 3 ranks the speed is 3, linear times would give 1 - (5/6)(2/5) = 2/3 s.
    frame = pl.DataFrame({"app": ["A", "A"], "ranks": [1, 6], "time_s": [1.0, 1 / 6]})
    at = {
        how: perf_table.build(frame, 6, interpolate=how).filter(pl.col("ranks") == 3)["time_s"][0]
        for how in ("speed", "time")
    }
    assert at["speed"] == pytest.approx(1 / 3)
    assert at["time"] == pytest.approx(2 / 3)


def test_profiled_times_stand_in_the_table_as_they_were_measured():
    frame = profile(lambda r: 0.1 + 1 / 3 / r)
    table = perf_table.build(frame, 30)
    assert table.filter(pl.col("source") == "measured").select("ranks", "time_s").equals(frame.drop("app"))
    assert table.filter(pl.col("source") == "interpolated").height == 23


def test_a_perf_at_the_threshold_is_not_above_it():
    # Speeds 0.95 at 1 rank and 1 at 6: 0.95 is not above 0.95, so it is the first rank on the line.
    frame = pl.DataFrame({"app": ["A", "A"], "ranks": [1, 6], "time_s": [1 / 0.95, 1.0]})
    assert best(perf_table.build(frame, 6)) == [2]
    rounded = frame.with_columns(time_s=pl.Series([1 / (0.95 + 1e-14), 1.0]))
    assert best(perf_table.build(rounded, 6)) == [2]
    above = frame.with_columns(time_s=pl.Series([1 / (0.95 + 1e-11), 1.0]))
    assert best(perf_table.build(above, 6)) == [1]


def test_only_profiled_points_may_be_candidates():
    # Speed is r up to 30: above 0.95 of 30 are 29 and 30, of which only 30 was profiled.
    frame = profile(lambda r: 1 / r)
    assert best(perf_table.build(frame, 30)) == [29]
    assert best(perf_table.build(frame, 30, candidates="profiled")) == [30]


def test_the_users_annotation_wins():
    frame = profile(lambda r: 1 / r, app="MLP", best_ranks=21)
    assert best(perf_table.build(frame, 30)) == [21]


def test_a_whole_table_of_the_user_is_taken_as_it_stands():
    ranks = list(range(1, 31))
    times = [1.0 if r != 3 else 0.5 for r in ranks]
    table = perf_table.build(pl.DataFrame({"app": ["A"] * 30, "ranks": ranks, "time_s": times}), 30)
    assert table["time_s"].to_list() == times
    assert best(table) == [3]


def test_times_between_an_extrapolated_and_another_point_are_extrapolated():
    frame = profile(lambda r: 1 / r).with_columns(
        source=pl.when(pl.col("ranks") > 11).then(pl.lit("extrapolated")).otherwise(pl.lit("measured"))
    )
    source = dict(perf_table.build(frame, 30).select("ranks", "source").iter_rows())
    assert source[8] == "interpolated"
    assert source[12] == source[16] == source[29] == "extrapolated"


def test_applications_do_not_touch_one_another_and_the_order_of_rows_is_no_meaning():
    both = pl.concat([profile(lambda r: 1 / r, app="B"), profile(lambda r: r, app="A")])
    table = perf_table.build(both, 30)
    assert best(table.filter(pl.col("app") == "A")) == [1]
    assert table.equals(perf_table.build(both.sample(fraction=1, shuffle=True, seed=1), 30))
    assert perf_table.build(both.clear(), 30).height == 0


@given(st.lists(st.lists(st.floats(0.01, 100), min_size=30, max_size=30), min_size=1, max_size=5))
def test_many_tables_at_once_give_the_same_best_as_one_by_one(rows):
    together = perf_table.best_ranks(np.array(rows))
    assert together.tolist() == [int(perf_table.best_ranks(np.array([row]))[0]) for row in rows]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda f: f.filter(pl.col("ranks") == 1), "measured on one rank count only .1., which makes no curve"),
        (lambda f: f.filter(~pl.col("ranks").is_in([6, 30])), "no time on 6, 30 ranks; .* at least 1, 6, 11"),
        (lambda f: f.with_columns(time_s=pl.lit(0.0)), "time_s is 0.0 on 1 ranks"),
        (lambda f: f.with_columns(time_s=pl.lit(float("nan"))), "time_s is nan on 1 ranks"),
        (lambda f: f.with_columns(time_s=pl.lit(None, pl.Float64)), "no ranks or no time_s"),
        (lambda f: pl.concat([f, f[:1]]), "1 ranks stand there twice"),
        (lambda f: f.with_columns(ranks=pl.col("ranks") + 1), "measured on 31 ranks, but the machine has 1 to 30"),
        (lambda f: f.with_columns(ranks=pl.col("ranks") + 0.5), "ranks are counts, found 1.5"),
        (lambda f: f.with_columns(best_ranks=pl.lit(31)), "best_ranks is 31, but the machine has 1 to 30"),
        (lambda f: f.with_columns(best_ranks=pl.col("ranks")), "best_ranks is 1 in one row and 6 in another"),
        (lambda f: f.drop("time_s"), "missing column time_s; found app, ranks"),
        (lambda f: f.with_columns(app=pl.lit(None, pl.String)), "has no app"),
    ],
)
def test_what_is_no_profile_is_refused_in_a_sentence(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        perf_table.build(change(profile(lambda r: 1 / r)), 30)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"threshold": 1.0}, "threshold is 1.0"),
        ({"interpolate": "linear"}, "interpolate is 'linear'; known: speed, time"),
        ({"candidates": "some"}, "candidates is 'some'; known: all, profiled"),
    ],
)
def test_unknown_options_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        perf_table.build(profile(lambda r: 1 / r), 30, **options)


@given(
    ends=st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)),
    inner=st.dictionaries(st.integers(2, 29), st.floats(0.01, 100), max_size=6),
)
def test_any_points_stay_and_the_speed_between_them_is_on_a_line(ends, inner):
    times = {1: ends[0], 30: ends[1]} | inner
    frame = pl.DataFrame({"app": ["A"] * len(times), "ranks": list(times), "time_s": list(times.values())})
    result = perf_table.from_points(frame, 30)
    assert result.filter(source="measured").select("ranks", "time_s").rows() == sorted(times.items())
    assert set(result["source"]) <= {"measured", "interpolated"}
    perf, wanted = by_the_book(times, 30, 0.95)
    assert result["perf"].to_list() == pytest.approx(list(perf.values()), rel=1e-12)
    if all(abs(value - 0.95) > 1e-10 for value in perf.values()):
        assert best(result) == [wanted]


def test_beyond_the_points_times_are_the_callers_and_say_so():
    points = pl.DataFrame({"app": ["A", "A"], "ranks": [2, 4], "time_s": [4.0, 2.0]})
    beyond = pl.DataFrame({"app": ["A", "A"], "ranks": [1, 5], "time_s": [8.0, 1.6]})
    result = perf_table.from_points(points, 5, beyond=beyond)
    assert result["time_s"].to_list() == pytest.approx([8.0, 4.0, 1 / (3 / 8), 2.0, 1.6])
    assert result["source"].to_list() == ["extrapolated", "measured", "interpolated", "measured", "extrapolated"]
    with pytest.raises(ValueError, match="no time on 1, 5 ranks"):
        perf_table.from_points(points, 5)
