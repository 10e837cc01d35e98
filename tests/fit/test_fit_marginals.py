"""Marginal laws of a trace: known laws come back and are distinguished, distributions are exact at their points."""

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy import stats

from pipeline import tables
from pipeline.fit import marginals
from pipeline.fit.estimators import Values
from pipeline.statistics import laws


def frames(nodes, lengths, memory, per_job=None, trace="t"):
    """Jobs of the given nodes and phases of the given lengths and memory, `per_job` phases per job in turn."""
    jobs = pl.DataFrame({"trace": [trace] * len(nodes), "job_id": [str(j) for j in range(len(nodes))], "nodes": nodes})
    per_job = [len(lengths)] if per_job is None else per_job
    job_id = np.repeat(np.arange(len(per_job)).astype(str), per_job)
    phases = pl.DataFrame(
        {
            "trace": [trace] * len(lengths),
            "job_id": job_id,
            "node": pl.Series([None] * len(lengths), dtype=pl.String),
            "duration_s": np.asarray(lengths, float),
            "memory_gb": np.asarray(memory, float),
        }
    )
    return jobs, phases


def parameters(law, quantity, name):
    rows = law.filter(quantity=quantity, law=name)
    return dict(zip(rows["parameter"], rows["value"], strict=True))


def test_parameters_of_known_laws_come_back():
    rng = np.random.default_rng(1)
    per_job = np.maximum(1, np.round(rng.lognormal(3, 0.6, 4000))).astype(int)
    n = per_job.sum()
    lengths = rng.lognormal(6, 1.1, n)
    memory = 2 + 240 * rng.beta(1.25, 1.66, n)
    nodes = rng.integers(1, 24, 4000)
    law = marginals.fit(*frames(nodes, lengths, memory, per_job))

    length = parameters(law, "phase_length_s", "lognormal")
    assert length["mu"] == pytest.approx(6, abs=4 * 1.1 / np.sqrt(n))
    assert length["sigma"] == pytest.approx(1.1, abs=4 * 1.1 / np.sqrt(2 * n))
    assert length["ks"] < 1.63 / np.sqrt(n)
    assert length["count"] == n
    phases = parameters(law, "phases_per_job", "rounded_lognormal")
    assert phases["mu"] == pytest.approx(3, abs=0.04)
    assert phases["sigma"] == pytest.approx(0.6, abs=0.03)
    beta = parameters(law, "memory_gb", "beta")
    assert beta["alpha"] == pytest.approx(1.25, rel=0.05)
    assert beta["beta"] == pytest.approx(1.66, rel=0.05)
    assert (beta["min"], beta["max"]) == (memory.min(), memory.max())
    assert beta["ks"] < 0.02
    uniform = parameters(law, "nodes", "discrete_uniform")
    assert (uniform["min"], uniform["max"]) == (1, 23)
    assert uniform["ks"] < 1.63 / np.sqrt(4000)
    # The laws that were drawn from are the best: one per quantity, and no rows of the empirical law among them.
    best = law.filter("best").select("quantity", "law").unique().sort("quantity").rows()
    assert best[1:] == [("memory_gb", "beta"), ("nodes", best[2][1]), ("phase_length_s", "lognormal"),
                        ("phases_per_job", "rounded_lognormal")]  # fmt: skip
    # A truncated geometric law of ratio about 1 is the uniform one, so is a zipf law of exponent about 0.
    assert best[2][1] in ("discrete_uniform", "truncated_geometric", "zipf")
    distances = law.filter(parameter="ks").select("quantity", "value", "best")
    least = distances.group_by("quantity").agg(pl.col("value").min())
    assert distances.filter("best").select("quantity", "value").sort("quantity").equals(least.sort("quantity"))


def test_empirical_law_by_hand_and_memory_weighted_by_time():
    law = marginals.fit(*frames([1, 2, 9], [10, 30, 60], [100, 50, 20], per_job=[1, 2]))
    memory = parameters(law, "memory_gb", "empirical")
    # Time-weighted: 10 s at 100 GB, 30 s at 50 GB, 60 s at 20 GB.
    assert memory["mean"] == pytest.approx(37)
    assert memory["sd"] == pytest.approx(np.sqrt(0.1 * 63**2 + 0.3 * 13**2 + 0.6 * 17**2))
    assert (memory["count"], memory["min"], memory["max"]) == (3, 20, 100)
    quantiles = [memory[name] for name in ("q00", "q05", "q25", "q50", "q75", "q95", "q100")]
    assert quantiles == [20, 20, 20, 20, 50, 100, 100]
    nodes = parameters(law, "nodes", "empirical")
    assert (nodes["count"], nodes["mean"], nodes["q50"]) == (3, 4, 2)
    assert nodes["sd"] == pytest.approx(np.std([1, 2, 9]))
    assert parameters(law, "phases_per_job", "empirical")["mean"] == 1.5
    assert law.schema == tables.polars_schema(tables.Marginal)
    assert set(law["origin"]) == {tables.FITTED}


def test_beta_has_the_moments_weighted_by_time():
    rng = np.random.default_rng(6)
    memory = rng.uniform(10, 200, 500)
    law = marginals.fit(*frames([1], 10_000 / memory, memory))
    empirical, fitted = parameters(law, "memory_gb", "empirical"), parameters(law, "memory_gb", "beta")
    span = fitted["max"] - fitted["min"]
    beta = stats.beta(fitted["alpha"], fitted["beta"], loc=fitted["min"], scale=span)
    assert beta.mean() == pytest.approx(empirical["mean"])
    assert beta.std() == pytest.approx(empirical["sd"])
    # Short phases need more here, so the time-weighted mean lies below the plain one.
    assert empirical["mean"] == pytest.approx(500 / (1 / memory).sum())
    assert empirical["mean"] < memory.mean() - 10


def test_exactly_uniform_nodes_have_distance_zero():
    law = marginals.fit(*frames([1, 2, 3, 4, 4, 3, 2, 1], [1.0], [1.0]))
    assert parameters(law, "nodes", "discrete_uniform")["ks"] == pytest.approx(0, abs=1e-12)
    # On {1, 4} against the integers 1..4 the distance is 1/4, between 1 and 4.
    law = marginals.fit(*frames([1, 4], [1.0], [1.0]))
    assert parameters(law, "nodes", "discrete_uniform")["ks"] == pytest.approx(0.25)


def test_values_all_alike_are_a_constant():
    law = marginals.fit(*frames([4, 4], [10, 10], [7, 7], per_job=[1, 1]))
    assert set(law.filter("best")["law"]) == {"constant"}
    assert parameters(law, "phase_length_s", "constant") == {"value": 10, "ks": 0, "count": 2}
    assert parameters(law, "nodes", "discrete_uniform") == {}
    # Two values at the ends of the range leave the beta undetermined.
    assert parameters(marginals.fit(*frames([1], [5, 5], [3, 9])), "memory_gb", "beta") == {}


def test_memory_by_node_time_counts_every_node():
    # Job 0 on 3 nodes: 10 s at 8 GB; job 1 on 1 node: 10 s at 2 GB; job 2 is not among the jobs: one node.
    jobs, phases = frames([3, 1], [10, 10, 20], [8, 2, 5], per_job=[1, 1, 1])
    of_nodes = parameters(marginals.fit(jobs, phases), "memory_by_node_time_gb", "empirical")
    assert of_nodes["mean"] == pytest.approx((30 * 8 + 10 * 2 + 20 * 5) / 60)
    rows = marginals.distributions(jobs, phases).filter(quantity="memory_by_node_time_gb")
    assert rows["value"].to_list() == [2, 5, 8]
    assert rows["share"].to_list() == pytest.approx([1 / 6, 1 / 2, 1])
    by_time = marginals.distributions(jobs, phases).filter(quantity="memory_gb")
    assert by_time["share"].to_list() == pytest.approx([1 / 4, 3 / 4, 1])


def test_a_distribution_of_few_values_is_all_of_them():
    result = marginals.distributions(*frames([1, 2, 2, 9], [10, 30], [5, 7]))
    nodes = result.filter(quantity="nodes")
    assert nodes.select("value", "share").rows() == [(1, 0.25), (2, 0.75), (9, 1)]
    assert result["exact"].all()
    assert result.schema == tables.polars_schema(tables.Distribution)
    assert tables.Distribution.validate(result).equals(result)


def test_a_distribution_of_many_values_is_exact_at_its_points_and_near_between_them():
    rng = np.random.default_rng(2)
    lengths = rng.lognormal(6, 1.5, 100_000)
    rows = marginals.distributions(*frames([1], lengths, np.ones(lengths.size))).filter(quantity="phase_length_s")
    assert 150 <= rows.height <= marginals.POINTS
    assert not rows["exact"].any()
    value, share = rows["value"].to_numpy(), rows["share"].to_numpy()
    assert (value[0], value[-1], share[-1]) == (lengths.min(), lengths.max(), 1)
    np.testing.assert_allclose(share, (lengths[:, None] <= value).mean(axis=0), rtol=1e-9)
    law = laws.empirical(value, share, exact=False, integer=False)
    assert Values.of(lengths).ks_distance(law) < 1 / 160
    assert law.mean == pytest.approx(lengths.mean(), rel=0.02)


def test_order_of_rows_does_not_matter_and_node_may_be_absent():
    rng = np.random.default_rng(8)
    jobs, phases = frames(rng.integers(1, 9, 40), rng.lognormal(3, 1, 400), rng.uniform(0, 9, 400), [10] * 40)
    for function in (marginals.fit, marginals.distributions):
        expected = function(jobs, phases)
        assert function(jobs, phases.drop("node")).equals(expected)
        again = function(jobs.reverse(), phases.reverse())
        assert_frame_equal(again, expected, rel_tol=1e-6)


def test_only_whole_jobs_count_and_traces_are_kept_apart():
    jobs_a, phases_a = frames([1, 2], [10, 20], [5, 6], per_job=[1, 1], trace="a")
    jobs_b, phases_b = frames([8], [40, 50], [1, 2], trace="b")
    by_node = phases_a.with_columns(node=pl.lit("n1"), duration_s=pl.lit(999.0))
    law = marginals.fit(pl.concat([jobs_b, jobs_a]), pl.concat([phases_b, by_node, phases_a]))
    assert law["trace"].unique(maintain_order=True).to_list() == ["a", "b"]
    assert law["value"].max() < 999
    alone = marginals.fit(jobs_b, phases_b)
    assert law.filter(trace="b").equals(alone)


def test_nothing_to_fit_gives_no_rows():
    jobs, phases = frames([1], [1], [1])
    assert marginals.fit(jobs.clear(), phases.clear()).rows() == []
    assert set(marginals.fit(jobs, phases.clear())["quantity"]) == {"nodes"}
    with pytest.raises(ValueError, match="phases: missing column duration_s"):
        marginals.fit(jobs, phases.drop("duration_s"))
