"""Series of jobs as arrays: merged and cut as the plain definitions say."""

import itertools

import numpy as np
import polars as pl
import pytest

from pipeline import tables
from pipeline.fit.phases import merge_nodes, segment
from pipeline.fit.series import WHOLE, PhaseWriter, segment_jobs
from pipeline.tables.series import JobSeries


def random_series(rng, jobs=12, clustered=False, whole_seconds=True):
    """Random jobs of 1 to 9 nodes; `clustered` times lie in a few bursts with long gaps between them."""
    first_series, first, node, time, used = [0], [0], [], [], []
    for _ in range(jobs):
        for n in range(rng.integers(1, 10)):
            count = int(rng.integers(1, 60))
            if clustered:
                times = rng.choice([0.0, 1e6, 2e6], size=count) + rng.integers(0, 30, size=count)
            else:
                times = rng.integers(0, 500, size=count).astype(float)
            times = np.unique(times if whole_seconds else times + rng.random(count))
            time.append(times)
            used.append(rng.choice([5.0, 5.0, 50.0, 90.0], size=len(times)) + rng.normal(0, 0.1, len(times)))
            node.append(n)
            first.append(first[-1] + len(times))
        first_series.append(len(node))
    return JobSeries(
        np.arange(jobs), np.array(first_series), np.array(node), np.array(first), np.concatenate(time),
        np.concatenate(used),
    )  # fmt: skip


def maximum_of_latest(series, job):
    """At each time of a job the largest of its nodes' latest values, by looking at all of them each time."""
    a, b = series.first_series[job], series.first_series[job + 1]
    nodes = [slice(series.first[s], series.first[s + 1]) for s in range(a, b)]
    times = np.unique(np.concatenate([series.time_s[n] for n in nodes]))
    values = []
    for t in times:
        latest = [series.used_gb[n][series.time_s[n] <= t] for n in nodes]
        values.append(max(seen[-1] for seen in latest if len(seen)))
    return times, np.array(values)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("whole_seconds", [False, True])
def test_a_jobs_series_is_the_maximum_of_its_nodes_latest_values(seed, clustered, whole_seconds):
    series = random_series(np.random.default_rng(seed), clustered=clustered, whole_seconds=whole_seconds)
    first, time_s, used_gb, _ = merge_nodes(series.first_series, series.first, series.time_s, series.used_gb)
    for job in range(len(series.job)):
        times, values = maximum_of_latest(series, job)
        assert np.array_equal(time_s[first[job] : first[job + 1]], times)
        assert np.array_equal(used_gb[first[job] : first[job + 1]], values)


def test_one_sample_far_from_thousands_is_no_slower_than_a_sort():
    """All but one sample fall into one bucket of time: what is to be sorted inside it must not be sorted by moving."""
    nodes, count = 40, 20_000
    time_s = np.concatenate([np.sort(np.random.default_rng(n).random(count)) for n in range(nodes)])
    time_s[-1] = 1e9
    first = np.arange(nodes + 1) * count
    whole, merged_s, _, _ = merge_nodes(np.array([0, nodes]), first, time_s, np.ones(len(time_s)))
    assert np.array_equal(merged_s, np.unique(time_s))
    assert whole.tolist() == [0, len(merged_s)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_phases_are_those_of_segment_on_each_series(seed):
    series = random_series(np.random.default_rng(100 + seed))
    job, node, phases = segment_jobs(series, 1.5, "max")
    got = pl.DataFrame(
        {"job": job, "node": node, "phase": phases.phase, "start_s": phases.start_s, "end_s": phases.end_s,
         "memory_gb": phases.memory_gb}
    )  # fmt: skip
    frames = []
    for j in range(len(series.job)):
        times, values = maximum_of_latest(series, j)
        rows = [(WHOLE, times, values)]
        for s in range(series.first_series[j], series.first_series[j + 1]):
            part = slice(series.first[s], series.first[s + 1])
            rows.append((int(series.node[s]), series.time_s[part], series.used_gb[part]))
        for n, time_s, used_gb in rows:
            cut = segment(pl.DataFrame({"series_id": 0, "time_s": time_s, "used_gb": used_gb}), 1.5)
            frames.append(cut.select(pl.lit(j).alias("job"), pl.lit(n).alias("node"), pl.exclude("series_id")))
    assert got.equals(pl.concat(frames).cast({"job": pl.Int64, "node": pl.Int64}))


def test_batches_of_jobs_make_no_difference(tmp_path):
    series = random_series(np.random.default_rng(7), jobs=30)
    jobs = pl.Series([f"job{j}" for j in range(30)])
    nodes = pl.Series([f"n{n}" for n in range(9)])
    for name, bounds in (("whole", [0, 30]), ("parts", [0, 1, 7, 8, 29, 30])):
        writer = PhaseWriter(tmp_path / f"{name}.parquet", 2.0)
        for a, b in itertools.pairwise(bounds):
            low, high = series.first_series[a], series.first_series[b]
            rows = slice(series.first[low], series.first[high])
            part = JobSeries(
                series.job[a:b], series.first_series[a : b + 1] - low, series.node[low:high],
                series.first[low : high + 1] - series.first[low], series.time_s[rows], series.used_gb[rows],
            )  # fmt: skip
            writer.append("t", jobs, nodes, part)
        writer.close()
    assert (tmp_path / "whole.parquet").read_bytes() == (tmp_path / "parts.parquet").read_bytes()
    tables.Phase.validate(pl.read_parquet(tmp_path / "whole.parquet"))
