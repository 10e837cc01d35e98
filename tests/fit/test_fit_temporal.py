"""Temporal classes: sequences made by hand, edges of the rules, real series."""

import numpy as np
import polars as pl
import pytest

from pipeline import tables
from pipeline.fit import temporal
from pipeline.fit.phases import segment


def phases(jobs, trace="t"):
    """Phases of jobs given as {job: [(duration_s, memory_gb), …]}."""
    rows = [(trace, job, float(d), float(m)) for job, sequence in jobs.items() for d, m in sequence]
    return pl.DataFrame(rows, schema=["trace", "job_id", "duration_s", "memory_gb"], orient="row")


# Steps of 10 s in the trace: a mean phase of up to 250 s is frequent.
FAST = {"step": [(10, 1), (1000, 2)] * 3}


def classes(jobs):
    rows = temporal.classify(phases(jobs | FAST)).filter(pl.col("job_id") != "step")
    assert (rows["step_s"] == 10).all()
    return dict(rows.select("job_id", "temporal_class").iter_rows())


def test_one_of_each_kind():
    swings = [(40, 20), (30, 60), (50, 30), (20, 55)] * 5
    assert classes(
        {
            "flat": [(3600, 50)],
            "nearly flat": [(600, 50), (600, 48), (600, 46)],
            "stairs": [(1000, 10), (2000, 40), (900, 25)],
            "swings": swings,
            "spikes": [(900, 5), (20, 80), (800, 6), (30, 70), (700, 5)],
        }
    ) == {"flat": "constant", "nearly flat": "constant", "stairs": "phased", "swings": "dynamic", "spikes": "sporadic"}


def test_edges_of_the_rules():
    ten = [(250, 10), (250, 30)] * 5
    assert classes(
        {
            # The spread is a tenth exactly; a hair more is too much.
            "a": [(600, 100), (600, 90)],
            "b": [(600, 100), (600, 89.9)],
            # Nothing is used at all; or nothing but once.
            "c": [(60, 0), (60, 0)],
            "d": [(60, 0), (60, 4)],
            # A tenth of the time above half of the peak; a hair more; half of the peak is not above it.
            "e": [(900, 10), (100, 100)],
            "f": [(899, 10), (101, 100)],
            "g": [(450, 50), (100, 100), (450, 50)],
            # Ten phases of 25 steps each; slightly longer; one phase less.
            "h": ten,
            "i": [*ten[:-1], (251, 30)],
            "j": ten[:-1],
            # Many short spikes are sporadic, not dynamic.
            "k": [(90, 5), (10, 100)] * 20,
        }
    ) == {"a": "constant", "b": "phased", "c": "constant", "d": "phased", "e": "sporadic", "f": "phased",
          "g": "sporadic", "h": "dynamic", "i": "phased", "j": "phased", "k": "sporadic"}  # fmt: skip


def test_measures_stand_beside_the_class():
    rows = temporal.classify(phases({"x": [(30, 20), (10, 50), (60, 40)]} | FAST)).filter(job_id="x")
    assert rows.row(0, named=True) == {
        "trace": "t", "job_id": "x", "temporal_class": "phased", "duration_s": 100.0, "phases": 3,
        "mean_phase_s": pytest.approx(100 / 3), "relative_spread": pytest.approx(0.6), "high_share": pytest.approx(0.7),
        "step_s": 10.0, "origin": "fitted",
    }  # fmt: skip
    assert tables.TemporalClass.validate(rows).equals(rows)


def test_scale_of_memory_does_not_matter_and_that_of_time_only_below_a_reconfiguration():
    rng = np.random.default_rng(1)
    jobs = {}
    for j in range(300):
        count = rng.integers(1, 40)
        jobs[str(j)] = list(
            zip(rng.exponential(rng.choice([3, 100, 2000]), count) + 1, rng.gamma(0.5, 30, count), strict=True)
        )
    frame = phases(jobs)
    expected = temporal.classify(frame)["temporal_class"]
    assert set(expected) == set(temporal.CLASSES)
    for scaled in (frame.with_columns(pl.col("memory_gb") * 7.3), frame.with_columns(pl.col("duration_s") * 60)):
        assert temporal.classify(scaled)["temporal_class"].equals(expected)
    assert temporal.classify(frame.sample(fraction=1, shuffle=True, seed=3)).equals(temporal.classify(frame))
    # Steps shorter than a reconfiguration: 25 of the latter are what counts.
    quick = temporal.classify(phases({"x": [(24, 2), (0.01, 1)] * 40, "y": [(60, 2), (0.01, 1)] * 40}))
    assert quick["temporal_class"].to_list() == ["dynamic", "phased"]


def test_traces_have_their_own_steps_and_rows_of_nodes_do_not_count():
    swings = [(90, 20), (90, 60)] * 10
    slow = phases({"x": swings} | FAST, "slow")
    fast = phases({"x": swings, "step": [(1, 1), (1000, 2)] * 3}, "fast")
    both = pl.concat([slow, fast]).with_columns(node=pl.lit(None, pl.String))
    of_node = both.with_columns(node=pl.lit("n1"), memory_gb=pl.lit(1.0))
    rows = temporal.classify(pl.concat([of_node, both])).filter(job_id="x")
    assert rows.select("trace", "temporal_class", "step_s").rows() == [
        ("fast", "phased", 1.0),
        ("slow", "dynamic", 10.0),
    ]


def test_nothing_and_unusable_phases():
    assert temporal.classify(phases({})).rows() == []
    assert temporal.classify(phases({"x": [(5, 1)]}))["step_s"].to_list() == [None]
    with pytest.raises(ValueError, match=r"job 'x': a phase lasts 0\.0 s"):
        temporal.classify(phases({"x": [(0, 1)]}))
    with pytest.raises(ValueError, match="missing column memory_gb"):
        temporal.classify(phases({"x": [(5, 1)]}).drop("memory_gb"))


@pytest.mark.real
def test_k_segments_series_are_of_all_four_classes(trace_data):
    memory = pl.read_parquet(trace_data / "hpc/memory/kseg_memory.parquet")
    samples = memory.select(
        pl.concat_str(
            pl.col("workflow", "process", "task").cast(pl.String), pl.col("start").cast(pl.String), separator="/"
        ).alias("series_id"),
        pl.col("t_s").alias("time_s"),
        (pl.col("mem_mb").cast(pl.Float64) / 1000).alias("used_gb"),
    )
    fitted = segment(samples).select(
        pl.col("series_id").str.split("/").list.first().alias("trace"),
        pl.col("series_id").alias("job_id"),
        pl.lit(None, pl.String).alias("node"),
        (pl.col("end_s") - pl.col("start_s")).alias("duration_s"),
        "memory_gb",
    )
    result = temporal.classify(fitted)
    assert result.height == samples["series_id"].n_unique()
    assert set(result["temporal_class"]) == set(temporal.CLASSES)
    # The estimate of the sampling step is the true one, 2 s.
    true = samples.sort("series_id", "time_s").select(pl.col("time_s").diff().over("series_id")).to_series().median()
    assert result["step_s"].unique().to_list() == pytest.approx([true] * result["step_s"].n_unique(), rel=0.01)
