"""Phases from time series: hand-computed cases, a slow reference, laws, real series."""

import gzip
import itertools
import json
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from pipeline.fit.phases import job_series, segment

COLUMNS = ["series_id", "phase", "start_s", "end_s", "memory_gb"]


def series(name, times, values):
    return pl.DataFrame({"series_id": [name] * len(times), "time_s": times, "used_gb": values})


def reference_phases(times, values, delta):
    """Section V-A, read off the text one series at a time: [(start_s, end_s, memory_gb)]."""
    if len(times) == 1:
        return [(times[0], times[0] + 1.0, values[0])]
    d = [b - a for a, b in itertools.pairwise(values)]
    total = 0.0
    for x in d:
        total += x
    mean = total / len(d)
    squares = 0.0
    for x in d:
        squares += (x - mean) * (x - mean)
    std = math.sqrt(squares / len(d))
    frontiers = [0]
    if std > 0 and std >= 1e-12 * max(abs(x) for x in d):
        frontiers += [i + 1 for i, x in enumerate(d) if abs((x - mean) / std) > delta]
    phases = []
    for begin, end in zip(frontiers, [*frontiers[1:], len(times)], strict=True):
        end_s = times[end] if end < len(times) else times[-1] + (times[-1] - times[-2])
        phases.append((times[begin], end_s, max(values[begin:end])))
    return phases


def random_series(rng):
    n = int(rng.integers(1, 120))
    times = np.cumsum(rng.choice([0.5, 2.0, 40.0, 80.0, 3600.0], n)).tolist()
    shape = rng.integers(4)
    if shape == 0:
        values = np.full(n, rng.uniform(0, 200))
    elif shape == 1:
        values = rng.uniform(0, 200, n)
    elif shape == 2:
        values = np.repeat(rng.uniform(0, 200, n), rng.integers(1, 30, n))[:n] + rng.normal(0, 0.1, n)
    else:
        values = rng.uniform(-3, 3) * np.arange(n)
    return times, values.tolist()


@pytest.mark.parametrize("delta", [0.5, 2.0, 3.0])
def test_equals_slow_reference_on_random_series(delta):
    rng = np.random.default_rng(11)
    given_series = {f"s{i:03}": random_series(rng) for i in range(200)}
    samples = pl.concat(series(name, *tv) for name, tv in given_series.items())
    expected = [
        (name, k, *phase) for name, tv in given_series.items() for k, phase in enumerate(reference_phases(*tv, delta))
    ]
    fitted = segment(samples, delta)
    assert fitted.rows() == expected
    assert fitted.columns == COLUMNS
    assert fitted.dtypes == [pl.String, pl.Int64, pl.Float64, pl.Float64, pl.Float64]


def test_one_jump_stands_at_the_later_sample():
    # d = 0 ×9, 100, 0 ×9: mean 100/19, std ≈ 22.3, z of the jump ≈ 4.2.
    values = [5.0] * 10 + [105.0] * 10
    fitted = segment(series("a", [40.0 * i for i in range(20)], values))
    assert fitted.rows() == [("a", 0, 0.0, 400.0, 5.0), ("a", 1, 400.0, 800.0, 105.0)]


def test_threshold_is_strict():
    # d = 0, 0, 0, 0, 5: mean 1, population std 2, so z of the jump is 2 exactly.
    samples = series("a", list(range(6)), [0, 0, 0, 0, 0, 5])
    assert segment(samples, delta=2.0).rows() == [("a", 0, 0.0, 6.0, 5.0)]
    assert segment(samples, delta=1.99).rows() == [("a", 0, 0.0, 5.0, 0.0), ("a", 1, 5.0, 6.0, 5.0)]


def test_memory_is_the_maximum_and_the_end_the_last_step():
    samples = series("a", [0, 10, 20, 30, 40, 50, 60, 70, 80, 105], [1, 2, 1, 2, 1, 50, 52, 49, 50, 51])
    assert segment(samples, delta=2.0).rows() == [("a", 0, 0.0, 50.0, 2.0), ("a", 1, 50.0, 130.0, 52.0)]


@pytest.mark.parametrize(
    ("times", "values", "expected"),
    [
        ([7.0], [3.0], [(0, 7.0, 8.0, 3.0)]),
        ([0.0, 40.0], [3.0, 9.0], [(0, 0.0, 80.0, 9.0)]),
        ([0.0, 40.0, 120.0], [3.0, 3.0, 3.0], [(0, 0.0, 200.0, 3.0)]),
        ([0.0, 1.0, 2.0, 3.0], [0.1, 0.2, 0.3, 0.4], [(0, 0.0, 4.0, 0.4)]),
    ],
    ids=["single", "two", "constant", "ramp"],
)
def test_series_without_a_spread_have_one_phase(times, values, expected):
    assert segment(series(3, times, values), delta=0.0).rows() == [(3, *row) for row in expected]


def test_order_dtypes_and_ids_do_not_matter():
    rng = np.random.default_rng(2)
    samples = pl.DataFrame(
        {
            "series_id": np.repeat([3, 1, 2], 50),
            "time_s": np.tile(np.arange(50), 3),
            "used_gb": rng.integers(0, 6, 150) ** 3,
        }
    )
    plain = segment(samples)
    assert plain["series_id"].dtype == pl.Int64
    assert plain.select("series_id", "phase").rows() == sorted(plain.select("series_id", "phase").rows())
    assert_frame_equal(segment(samples.sample(fraction=1, shuffle=True, seed=4)), plain)
    narrow = samples.cast({"series_id": pl.UInt16, "time_s": pl.Int32, "used_gb": pl.Float32})
    assert_frame_equal(segment(narrow), plain.cast({"series_id": pl.UInt16}))
    named = samples.cast({"series_id": pl.String})
    assert_frame_equal(segment(named), plain.cast({"series_id": pl.String}))


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(st.integers(0, 500), min_size=1, max_size=60),
    steps=st.lists(st.sampled_from([1, 40, 80, 7200]), min_size=60, max_size=60),
)
def test_scaling_and_shifting_laws(values, steps):
    times = np.cumsum(steps[: len(values)])
    plain = segment(series("a", times, np.asarray(values, float)))
    phased = plain["end_s"] - plain["start_s"]
    assert (phased > 0).all()
    # Phases tile the series without gap or overlap, and none exceeds the overall maximum.
    assert plain["start_s"][1:].to_list() == plain["end_s"][:-1].to_list()
    assert plain["memory_gb"].max() == max(values)
    # Powers of two and integer shifts are exact in floating point, so the laws hold to the bit.
    assert_frame_equal(
        segment(series("a", 4.0 * times, 0.5 * np.asarray(values, float))),
        plain.with_columns(pl.col("start_s", "end_s") * 4, pl.col("memory_gb") / 2)
        if len(values) > 1
        else plain.with_columns(start_s=4.0 * times[0], end_s=4.0 * times[0] + 1, memory_gb=pl.col("memory_gb") / 2),
    )
    assert_frame_equal(
        segment(series("a", times + 1000.0, np.asarray(values, float) + 64)),
        plain.with_columns(pl.col("start_s", "end_s") + 1000, pl.col("memory_gb") + 64),
    )


def test_empty_samples_give_no_phases():
    empty = pl.DataFrame(schema={"series_id": pl.String, "time_s": pl.Float64, "used_gb": pl.Float64})
    fitted = segment(empty)
    assert fitted.schema == {
        "series_id": pl.String,
        "phase": pl.Int64,
        "start_s": pl.Float64,
        "end_s": pl.Float64,
        "memory_gb": pl.Float64,
    }
    assert fitted.is_empty()


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (series("job7", [0, 40, 40, 80], [1, 2, 3, 4]), r"'job7' has several samples at time_s = 40"),
        (series("job7", [40, 0, 40], [1, 2, 3]), r"'job7' has several samples at time_s = 40"),
        (series("job7", [0, 1], [1, None]), r"'job7': used_gb is None"),
        (series("job7", [0, 1], [1.0, math.nan]), r"'job7': used_gb is nan"),
        (series("job7", [0.0, math.inf], [1, 1]), r"'job7': time_s is inf"),
        (series("job7", [0], [1]).drop("used_gb"), r"missing column used_gb; found series_id, time_s"),
        (series(None, [0], [1]), r"series_id is null in 1 rows"),
    ],
    ids=["duplicate", "duplicate_unsorted", "null", "nan", "infinite", "column", "no_id"],
)
def test_unusable_samples_are_refused(samples, message):
    with pytest.raises(ValueError, match=message):
        segment(samples)


def test_same_time_in_two_series_is_no_duplicate():
    samples = pl.concat([series("a", [0, 40], [1, 2]), series("b", [40, 80], [1, 2])])
    assert segment(samples)["series_id"].to_list() == ["a", "b"]


def test_negative_delta_is_refused():
    with pytest.raises(ValueError, match="delta is -1"):
        segment(series("a", [0], [1]), delta=-1)


def job(rows):
    return pl.DataFrame(rows, schema=["job_id", "node", "time_s", "used_gb"], orient="row")


def test_job_series_carries_each_nodes_last_value():
    samples = job([(9, "a", 0, 5), (9, "a", 40, 1), (9, "b", 10, 3), (9, "b", 50, 8), (9, "b", 60, 0), (9, "b", 40, 2)])
    # At 40 both change (1 and 2); at 60 node a still counts with its 1.
    assert job_series(samples).rows() == [
        (9, 0.0, 5.0, 5.0),
        (9, 10.0, 5.0, 4.0),
        (9, 40.0, 2.0, 1.5),
        (9, 50.0, 8.0, 4.5),
        (9, 60.0, 1.0, 0.5),
    ]
    assert job_series(samples, "max").drop("memory_gb").equals(job_series(samples).drop("memory_gb"))
    assert job_series(samples, "max").select(pl.col("memory_gb") == pl.col("used_gb")).to_series().all()


@pytest.mark.parametrize("node_memory", ["mean", "max"])
def test_job_series_equals_brute_force(node_memory):
    rng = np.random.default_rng(5)
    rows = []
    for j in range(30):
        for n in range(int(rng.integers(1, 9))):
            times = np.unique(rng.integers(0, 60, int(rng.integers(1, 25))))
            rows += [(f"j{j:02}", f"n{n}", int(t), float(rng.integers(-5, 50))) for t in times]
    expected = []
    for name in sorted({r[0] for r in rows}):
        of_job = [r for r in rows if r[0] == name]
        for t in sorted({r[2] for r in of_job}):
            latest = {}
            for _, n, at, value in sorted(of_job, key=lambda r: r[2]):
                if at <= t:
                    latest[n] = value
            values = latest.values()
            need = max(values) if node_memory == "max" else sum(values) / len(values)
            expected.append((name, float(t), max(values), need))
    samples = job(rows)
    # The means of whole numbers are those of Python, to a bit or two.
    assert_frame_equal(
        job_series(samples, node_memory),
        pl.DataFrame(expected, schema=["series_id", "time_s", "used_gb", "memory_gb"], orient="row"),
        rel_tol=1e-12,
    )
    again = job_series(samples.sample(fraction=1, shuffle=True, seed=1), node_memory)
    assert_frame_equal(again, job_series(samples, node_memory), check_exact=True)


def test_nodes_that_use_the_same_all_the_time_give_one_phase():
    """Sums are rounded: a third of the sum of three times 0.1 is not 0.1, which is no change of memory."""
    rows = [(1, f"n{n}", 10.0 * t + n, 0.1) for n in range(7) for t in range(50)]
    assert segment(job_series(job(rows)))["memory_gb"].to_list() == [0.1]


def test_nodes_that_change_together_give_one_phase_more_whenever_each_is_sampled():
    """Nodes are sampled one after the other: in their mean a change of all is a stair of as many steps."""
    rows = [(1, f"n{n:02}", 20.0 * t + n, 10.0 if t < 50 else 80.0) for n in range(16) for t in range(100)]
    assert segment(job_series(job(rows)))["memory_gb"].to_list() == [10.0, 80.0]


def test_a_phase_needs_the_largest_mean_over_the_nodes():
    rows = [(1, "a", 10.0 * t, 10.0 if t < 50 else 80.0) for t in range(100)]
    rows += [(1, "b", 10.0 * t, 20.0 + t % 3) for t in range(100)]
    assert segment(job_series(job(rows)))["memory_gb"].to_list() == [16.0, 51.0]
    assert segment(job_series(job(rows), "max"))["memory_gb"].to_list() == [22.0, 80.0]


def test_the_order_of_earlier_values_leaves_no_trace_in_a_mean():
    """After a large value the sum of small ones is what it was before: nothing is added up over time."""
    rows = [(1, "a", t, value) for t, value in enumerate([0.3, 1e17, 0.3, 0.3])]
    rows += [(1, "b", t, 0.1) for t in range(4)]
    assert job_series(job(rows))["memory_gb"].gather([0, 2, 3]).to_list() == [0.2] * 3


def test_job_series_of_one_unnamed_node_is_the_series():
    samples = pl.DataFrame(
        {"job_id": ["a", "a", "b"], "node": pl.Series([None] * 3, dtype=pl.String), "time_s": [0, 3, 1], "used_gb": 2.0}
    )
    assert_frame_equal(
        job_series(samples),
        pl.DataFrame(
            {"series_id": ["a", "a", "b"], "time_s": [0.0, 3.0, 1.0], "used_gb": [2.0] * 3, "memory_gb": [2.0] * 3}
        ),
    )


def test_job_series_refuses_two_samples_of_a_node_at_a_time():
    with pytest.raises(ValueError, match=r"job 9 has several samples of node 'a' at time_s = 40"):
        job_series(job([(9, "a", 40, 5), (9, "b", 40, 1), (9, "a", 40, 3)]))
    with pytest.raises(ValueError, match="missing column node"):
        job_series(job([(9, "a", 40, 5)]).drop("node"))


@pytest.mark.slow
@pytest.mark.real
def test_k_segments_series(trace_data):
    """Every task series of the k-Segments traces, against the slow reference on a sample of them."""
    memory = pl.read_parquet(trace_data / "hpc/memory/kseg_memory.parquet")
    samples = memory.select(
        pl.concat_str(
            pl.col("workflow", "process", "task").cast(pl.String), pl.col("start").cast(pl.String), separator="/"
        ).alias("series_id"),
        pl.col("t_s").alias("time_s"),
        (pl.col("mem_mb").cast(pl.Float64) / 1000).alias("used_gb"),
    )
    fitted = segment(samples)
    assert fitted["series_id"].n_unique() == 7138
    assert fitted["memory_gb"].max() == samples["used_gb"].max()
    for name, part in list(samples.group_by("series_id", maintain_order=True))[::100]:
        ordered = part.sort("time_s")
        expected = reference_phases(ordered["time_s"].cast(pl.Float64).to_list(), ordered["used_gb"].to_list(), 2.0)
        assert fitted.filter(series_id=name[0]).select("start_s", "end_s", "memory_gb").rows() == expected


@pytest.mark.real
def test_job_of_32_nodes(trace_data):
    """A real 32-node job at 60 s with 9 % of the values missing: its profile bounds those of its nodes."""
    samples = (
        pl.read_parquet(trace_data / "hpc/memory/emmy_mem_used.parquet")
        .drop_nulls("value")
        .select("job_id", "node", time_s=pl.col("timestamp").dt.epoch("s"), used_gb="value")
        .filter(pl.col("job_id") == 1403244)
    )
    assert samples["node"].n_unique() == 32
    whole = job_series(samples, "max")
    assert whole["time_s"].to_list() == samples["time_s"].unique().sort().cast(pl.Float64).to_list()
    at_time = samples.group_by("time_s").agg(pl.col("used_gb").max()).sort("time_s")["used_gb"]
    assert (whole["used_gb"] >= at_time).all()
    complete = samples.group_by("time_s").len().sort("time_s")["len"] == 32
    assert complete.sum() > 10
    assert (whole["used_gb"] == at_time).filter(complete).all()
    phases = segment(whole)
    assert phases["memory_gb"].max() == samples["used_gb"].max()
    assert phases["end_s"].max() - phases["start_s"].min() == pytest.approx(24 * 3600, abs=120)


@pytest.mark.real
def test_what_a_job_of_32_nodes_uses_is_the_sum_over_its_nodes(trace_data):
    """A node that misses a sample keeps its last one; the rest is numpy on the archive's own array."""
    with gzip.open(trace_data / "hpc/memory/emmy_1403_244_1608923076_data.json.gz") as file:
        metric = json.load(file)["mem_used"]["node"]
    used = np.array([series["data"] for series in metric["series"]], dtype=float)
    assert used.shape[0] == 32
    for t in range(1, used.shape[1]):
        used[:, t] = np.where(np.isnan(used[:, t]), used[:, t - 1], used[:, t])
    expected = np.nanmean(used[:, ~np.isnan(used).all(axis=0)], axis=0)
    rows = [
        (1, f"{series['hostname']}", float(t), value)
        for series in metric["series"]
        for t, value in enumerate(series["data"])
        if value is not None
    ]
    got = job_series(job(rows)).sort("time_s")
    assert got["memory_gb"].to_numpy() == pytest.approx(expected[got["time_s"].cast(pl.Int64).to_numpy()], rel=1e-12)
    assert got["memory_gb"].mean() < 0.8 * got["used_gb"].mean()
