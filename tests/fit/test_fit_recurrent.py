"""Recurrent jobs: grouping, profiles and distances by hand, against scipy and against leaving out run by run."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

from pipeline import tables
from pipeline.fit import recurrent
from pipeline.fit.profiles import upper_edge
from reliability.fuzzing import oracle


def jobs(rows):
    """Jobs given as (job_id, user, name, nodes)."""
    schema = {"job_id": pl.String, "user": pl.String, "name": pl.String, "nodes": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(trace=pl.lit("t"))


def phases(sequences):
    """Phases of jobs given as {job: [(duration_s, memory_gb), …]}."""
    rows = [("t", job, float(d), float(m)) for job, sequence in sequences.items() for d, m in sequence]
    schema = {"trace": pl.String, "job_id": pl.String, "duration_s": pl.Float64, "memory_gb": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def test_runs_share_user_and_name_or_user_and_nodes():
    result = recurrent.names(
        jobs([("1", "ann", "train", 1), ("2", "ann", "train", 8), ("3", "bob", "train", 1), ("4", "ann", None, 8),
              ("5", "ann", None, 8), ("6", "ann", None, 2), ("7", None, "train", 1), ("8", None, None, 1)])
    )  # fmt: skip
    assert dict(result.select("job_id", "recurrent_job").iter_rows()) == {
        "1": "ann/name=train", "2": "ann/name=train", "3": "bob/name=train", "4": "ann/nodes=8", "5": "ann/nodes=8",
        "6": "ann/nodes=2", "7": "/name=train"}  # fmt: skip


def test_names_that_look_like_others_are_kept_apart():
    result = recurrent.names(
        jobs([("1", "a/name=b", "c", 1), ("2", "a", "b/name=c", 1), ("3", "a", "nodes=3", 3), ("4", "a", None, 3),
              ("5", "a%2F", "x", 1), ("6", "a/", "x", 1), ("7", "", "x", 1)])
    )  # fmt: skip
    assert result["recurrent_job"].n_unique() == 7


def test_profile_and_distances_by_hand():
    table = jobs([("a", "u", "x", 1), ("b", "u", "x", 2), ("c", "u", "y", 1), ("d", "u", "x", 1)])
    # d has no phases: no run; y has one run: not recurrent.
    profiles, runs = recurrent.fit(table, phases({"a": [(10, 4), (30, 2)], "b": [(60, 4)], "c": [(100, 10)]}))
    assert profiles.rows() == [
        ("t", "u/name=x", 2, 2.0, 0.3, "fitted"),
        ("t", "u/name=x", 2, 4.0, 0.7, "fitted"),
    ]
    # a spends 3/4 of its time at 2 GB, b all of it at 4 GB: 3/4 apart, over 2 GB. Of the trace without a, 60 s are at
    # 4 GB and 100 s at 10 GB: 0.75 · 2 + 0.625 · 6; without b 30 s at 2 GB, 10 s at 4 GB and 100 s at 10 GB.
    assert runs.select(pl.exclude("origin")).rows() == [
        ("t", "u/name=x", "a", 40.0, 2.5, 0.75, pytest.approx(1.5), pytest.approx(0.75 * 2 + 0.625 * 6)),
        ("t", "u/name=x", "b", 60.0, 4.0, 0.75, pytest.approx(1.5), pytest.approx(2 * 30 / 140 + 6 * 100 / 140)),
    ]
    assert tables.RecurrentProfile.validate(profiles).equals(profiles)
    assert tables.RecurrentRun.validate(runs).equals(runs)


def random_world(seed, bin_gb=None):
    rng = np.random.default_rng(seed)
    rows, sequences = [], {}
    for j in range(60):
        rows.append((str(j), f"user{rng.integers(4)}", rng.choice(["a", "b", None]), int(rng.integers(1, 3))))
        count = rng.integers(1, 12)
        memory = np.round(rng.gamma(2, 20 * (1 + j % 3), count), rng.choice([-1, 3]))
        sequences[str(j)] = list(zip(rng.exponential(100, count) + 1, memory, strict=True))
    return jobs(rows), phases(sequences)


@pytest.mark.parametrize("bin_gb", [None, 7.5])
def test_distances_are_scipys_with_the_run_left_out(bin_gb):
    table, memory = random_world(2)
    profiles, runs = recurrent.fit(table, memory, bin_gb)
    if bin_gb is not None:
        memory = memory.with_columns(pl.Series("memory_gb", upper_edge(memory["memory_gb"].to_numpy(), bin_gb)))
    grouped = memory.join(recurrent.names(table), on=["trace", "job_id"])
    assert runs.height > 40
    for row in runs.iter_rows(named=True):
        own_phases = grouped.filter(job_id=row["job_id"])
        others = grouped.filter((pl.col("recurrent_job") == row["recurrent_job"]) & (pl.col("job_id") != row["job_id"]))
        rest = memory.filter(pl.col("job_id") != row["job_id"])

        def wasserstein(other, own_phases=own_phases):
            return stats.wasserstein_distance(
                own_phases["memory_gb"], other["memory_gb"], own_phases["duration_s"], other["duration_s"]
            )

        def cdf(frame, x):
            at_most = frame["memory_gb"].to_numpy()[None, :] <= x[:, None]
            return at_most @ frame["duration_s"].to_numpy() / frame["duration_s"].sum()

        levels = grouped["memory_gb"].unique().to_numpy()
        assert row["kolmogorov_distance"] == pytest.approx(np.abs(cdf(own_phases, levels) - cdf(others, levels)).max())
        assert row["wasserstein_gb"] == pytest.approx(wasserstein(others), rel=1e-9, abs=1e-9)
        assert row["wasserstein_to_trace_gb"] == pytest.approx(wasserstein(rest), rel=1e-9, abs=1e-9)
        assert row["mean_memory_gb"] == pytest.approx(
            np.average(own_phases["memory_gb"], weights=own_phases["duration_s"])
        )
    for (name,), law in profiles.group_by("recurrent_job"):
        members = grouped.filter(recurrent_job=name)
        assert law["runs"].unique().to_list() == [members["job_id"].n_unique()]
        assert law["probability"].sum() == pytest.approx(1)
        level = law["memory_gb"].to_numpy()
        np.testing.assert_allclose(np.cumsum(law["probability"]), cdf(members, level), atol=1e-12)


def test_equal_runs_are_foretold_exactly():
    sequence = [(10, 5), (20, 7), (5, 1)]
    _, runs = recurrent.fit(
        jobs([(j, "u", "x", 1) for j in "abc"] + [("z", "v", "w", 1)]), phases(dict.fromkeys("abcz", sequence))
    )
    assert runs["job_id"].to_list() == ["a", "b", "c"]
    for name in ("kolmogorov_distance", "wasserstein_gb", "wasserstein_to_trace_gb"):
        assert runs[name].to_list() == pytest.approx([0, 0, 0], abs=1e-12)


def test_order_of_rows_does_not_matter_and_traces_are_kept_apart():
    table, memory = random_world(5)
    expected = recurrent.fit(table, memory)
    shuffled = recurrent.fit(
        table.sample(fraction=1, shuffle=True, seed=1), memory.sample(fraction=1, shuffle=True, seed=2)
    )
    other = [frame.with_columns(trace=pl.lit("s")) for frame in random_world(6)]
    both = recurrent.fit(pl.concat([table, other[0]]), pl.concat([memory, other[1]]))
    for ours, again, mixed in zip(expected, shuffled, both, strict=True):
        assert again.equals(ours)
        assert_frame_equal(mixed.filter(trace="t"), ours, rel_tol=1e-9)


def test_nothing_recurs():
    for table, memory in (
        (jobs([("a", "u", "x", 1), ("b", "u", "y", 1)]), phases({"a": [(1, 1)], "b": [(1, 1)]})),
        (jobs([]), phases({"a": [(1, 1)]})),
        (jobs([("a", "u", "x", 1)]), phases({})),
    ):
        profiles, runs = recurrent.fit(table, memory)
        assert (profiles.rows(), runs.rows()) == ([], [])
        assert profiles.schema == tables.polars_schema(tables.RecurrentProfile)
    with pytest.raises(ValueError, match="missing column user"):
        recurrent.fit(table.drop("user"), memory)


def of_month(count):
    """Jobs of users who come again, and their memory."""
    rng = np.random.default_rng(0)
    per_job = rng.integers(1, 21, count)
    name = rng.zipf(1.5, count).astype(str)
    table = pl.DataFrame({"trace": "t", "job_id": np.arange(count).astype(str), "user": "u", "name": name, "nodes": 1})
    memory = pl.DataFrame({"trace": "t", "job_id": np.repeat(np.arange(count), per_job).astype(str),
                           "duration_s": rng.exponential(900, per_job.sum()) + 1,
                           "memory_gb": rng.uniform(0, 242, per_job.sum())})  # fmt: skip
    return table, memory


@pytest.mark.slow
def test_work_grows_as_the_jobs_do():
    made = {}
    for count in (5_000, 50_000):
        table, memory = of_month(count)
        with oracle.calls() as calls:
            _, runs = recurrent.fit(table, memory)
        assert runs.height > 0.8 * count
        made[count] = calls()
    assert made[50_000] < 12 * made[5_000]


@pytest.mark.slow
@pytest.mark.real
def test_processes_of_k_segments_foretell_their_tasks_better_than_the_trace_does(trace_data):
    """Tasks of one process of a workflow are runs of one recurrent job (Bader et al., the data's own notion)."""
    samples = pl.read_parquet(trace_data / "hpc/memory/kseg_memory.parquet").with_columns(
        pl.concat_str(pl.col("workflow", "task").cast(pl.String), pl.col("start").cast(pl.String)).alias("job_id")
    )
    one_phase_a_sample = samples.select(
        pl.col("workflow").cast(pl.String).alias("trace"),
        "job_id",
        pl.lit(2.0).alias("duration_s"),
        (pl.col("mem_mb").cast(pl.Float64) / 1000).alias("memory_gb"),
    )
    table = samples.select(
        pl.col("workflow").cast(pl.String).alias("trace"), "job_id", pl.lit(None, pl.String).alias("user"),
        pl.col("process").cast(pl.String).alias("name"), pl.lit(1, pl.Int64).alias("nodes"),
    ).unique(["trace", "job_id"])  # fmt: skip
    profiles, runs = recurrent.fit(table, one_phase_a_sample, 0.1)
    assert profiles["recurrent_job"].n_unique() > 20
    assert runs["wasserstein_gb"].median() < runs["wasserstein_to_trace_gb"].median()
