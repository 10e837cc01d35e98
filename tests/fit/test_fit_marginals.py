"""Marginal laws: parameters of known laws come back, distances agree with scipy."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline import tables
from pipeline.fit import marginals


def frames(nodes, lengths, memory, per_job=None, trace="t"):
    """Jobs of the given nodes and phases of the given lengths and memory, `per_job` phases a job in turn."""
    jobs = pl.DataFrame({"trace_id": [trace] * len(nodes), "nodes": nodes})
    per_job = [len(lengths)] if per_job is None else per_job
    job_id = np.repeat(np.arange(len(per_job)).astype(str), per_job)
    phases = pl.DataFrame(
        {
            "trace_id": [trace] * len(lengths),
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
    phases = parameters(law, "phases_per_job", "lognormal")
    assert phases["mu"] == pytest.approx(3, abs=0.04)
    assert phases["sigma"] == pytest.approx(0.6, abs=0.03)
    beta = parameters(law, "memory_gb", "beta")
    assert beta["alpha"] == pytest.approx(1.25, rel=0.05)
    assert beta["beta"] == pytest.approx(1.66, rel=0.05)
    assert (beta["min"], beta["max"]) == (memory.min(), memory.max())
    assert beta["ks"] < 0.02
    uniform = parameters(law, "nodes", "uniform")
    assert (uniform["min"], uniform["max"]) == (1, 23)
    assert uniform["ks"] < 1.63 / np.sqrt(4000)


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


def test_distance_agrees_with_scipy():
    rng = np.random.default_rng(4)
    values = rng.gamma(2, 3, 500)
    law = stats.lognorm(s=0.8, scale=5)
    ours = marginals.ks_distance(values, np.ones(500), law.cdf)
    assert ours == pytest.approx(stats.kstest(values, law.cdf).statistic, abs=1e-12)
    # A weight of k is k equal values.
    weights = rng.integers(1, 5, 500)
    assert marginals.ks_distance(values, weights, law.cdf) == pytest.approx(
        marginals.ks_distance(np.repeat(values, weights), np.ones(weights.sum()), law.cdf), abs=1e-12
    )


def test_exactly_uniform_nodes_have_distance_zero():
    law = marginals.fit(*frames([1, 2, 3, 4, 4, 3, 2, 1], [1.0], [1.0]))
    assert parameters(law, "nodes", "uniform")["ks"] == pytest.approx(0, abs=1e-12)
    # On {1, 4} against the integers 1..4 the distance is 1/4, between 1 and 4.
    law = marginals.fit(*frames([1, 4], [1.0], [1.0]))
    assert parameters(law, "nodes", "uniform")["ks"] == pytest.approx(0.25)


def test_values_all_alike_have_no_fitted_law_but_nodes():
    law = marginals.fit(*frames([4, 4], [10, 10], [7, 7], per_job=[1, 1]))
    assert set(law["law"]) == {"empirical", "uniform"}
    assert parameters(law, "nodes", "uniform") == {"min": 4, "max": 4, "ks": 0}
    # Two values at the ends of the range leave the beta undetermined.
    assert parameters(marginals.fit(*frames([1], [5, 5], [3, 9])), "memory_gb", "beta") == {}


def test_only_whole_jobs_count_and_traces_are_kept_apart():
    jobs_a, phases_a = frames([1, 2], [10, 20], [5, 6], per_job=[1, 1], trace="a")
    jobs_b, phases_b = frames([8], [40, 50], [1, 2], trace="b")
    by_node = phases_a.with_columns(node=pl.lit("n1"), duration_s=pl.lit(999.0))
    law = marginals.fit(pl.concat([jobs_b, jobs_a]), pl.concat([phases_b, by_node, phases_a]))
    assert law["trace_id"].unique(maintain_order=True).to_list() == ["a", "b"]
    assert law["value"].max() < 999
    alone = marginals.fit(jobs_b, phases_b)
    assert law.filter(trace_id="b").equals(alone)


def test_nothing_to_fit_gives_no_rows():
    jobs, phases = frames([1], [1], [1])
    assert marginals.fit(jobs.clear(), phases.clear()).rows() == []
    assert set(marginals.fit(jobs, phases.clear())["quantity"]) == {"nodes"}
    with pytest.raises(ValueError, match="phases: missing column duration_s"):
        marginals.fit(jobs, phases.drop("duration_s"))
