"""Phased workloads drawn from the laws of a trace: their laws, the load asked for, parts and sizes."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from pipeline import config, tables
from pipeline.fit import marginals
from pipeline.statistics import laws
from pipeline.studies import hpc_memory
from pipeline.studies.hpc_memory import fitted


def trace_row(trace_id):
    return pl.DataFrame(
        [{"trace": trace_id, "drop": trace_id, "format": "x", "status": "read", "kind": "measured", "nodes": None,
          "node_memory_gb": None, "jobs": 0, "samples": 0, "rejected": 0, "note": None}],
        schema=tables.polars_schema(tables.Trace),
    )  # fmt: skip


def fits_of(trace_id, seed, largest):
    """Jobs and phases of a made-up trace, fitted."""
    rng = np.random.default_rng(seed)
    count = 3000
    nodes = np.minimum(rng.geometric(0.1, count), largest)
    per_job = np.maximum(1, np.rint(rng.lognormal(2.2, 0.8, count))).astype(int)
    total = per_job.sum()
    jobs = pl.DataFrame({"trace": trace_id, "job_id": np.arange(count).astype(str), "nodes": nodes})
    phases = pl.DataFrame(
        {
            "trace": trace_id,
            "job_id": np.repeat(np.arange(count), per_job).astype(str),
            "duration_s": 300 * rng.weibull(0.8, total) + 1e-3,
            "memory_gb": 4 + 60 * rng.beta(2, 3, total),
        }
    )
    return marginals.fit(jobs, phases), marginals.distributions(jobs, phases)


def world(*, without=()):
    both = [fits_of("small", 1, 40), fits_of("large", 2, 500)]
    empty = {
        name: tables.empty(schema) for name, schema in tables.CANONICAL.items() if name not in ("samples", *without)
    }
    known = empty | {
        "traces": pl.concat([trace_row("small"), trace_row("large"), trace_row("bare")]),
        "marginals": pl.concat([m for m, _ in both]),
        "distributions": pl.concat([d for _, d in both]),
    }
    return {name: frame for name, frame in known.items() if name not in without}


WORLD = world()


def configuration(timeline=0, seed=1, **sweeps):
    sweeps = {name: {"workload": "phased", "laws": "fitted"} | sweep for name, sweep in sweeps.items()}
    return config.parse({"seed": seed, "hpc_memory": {"sweeps": sweeps, "timeline": timeline}})


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["fitted", "empirical"])
@pytest.mark.parametrize("trace", ["small", "large"])
def test_jobs_are_of_the_laws(kind, trace):
    of_trace = fitted.of_trace(WORLD, trace, kind)
    drawn = fitted.draw(of_trace, 1, trace, 0, 20_000, 54)
    assert drawn.nodes.max() <= 54
    whole = np.arange(1, 55)
    expected = of_trace.nodes.cdf(whole) / of_trace.nodes.cdf(np.array([54.0]))
    assert np.abs((drawn.nodes[:, None] <= whole).mean(axis=0) - expected).max() < 1.63 / np.sqrt(20_000)
    assert (drawn.phases.min(), drawn.phases.max()) == (1, 45)
    clipped = of_trace.phases.cdf(whole[:44])
    assert np.abs((drawn.phases[:, None] <= whole[:44]).mean(axis=0) - clipped).max() < 1.63 / np.sqrt(20_000)
    assert len(drawn.length_s) == len(drawn.memory_gb) == drawn.phases.sum()
    assert stats.kstest(drawn.length_s, of_trace.length_s.cdf).pvalue > 1e-3
    assert stats.kstest(drawn.memory_gb, of_trace.memory_gb.cdf).pvalue > 1e-3
    memory = WORLD["distributions"].filter(trace=trace, quantity="memory_by_node_time_gb")["value"]
    assert drawn.memory_gb.min() >= memory.min()
    assert drawn.memory_gb.max() <= memory.max()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["fitted", "empirical"])
def test_the_load_offered_is_the_one_asked_for(kind):
    settings = configuration(a={"laws": kind, "batches": 12, "jobs": 1000, "load": [0.8], "traces": ["small"]})
    made = hpc_memory.workloads(settings, WORLD)
    work = (
        made["phases"]
        .group_by("workload_id", "job_id")
        .agg(pl.col("duration_s").sum())
        .join(made["jobs"], on=["workload_id", "job_id"])
        .sort("workload_id", "job_id")
    )
    offered = []
    for _, jobs in work.group_by("workload_id", maintain_order=True):
        later = jobs.filter(pl.col("submit_s") > 0)
        assert later.height == 900
        offered.append((later["nodes"] * later["duration_s"]).sum() / (54 * jobs["submit_s"].max()))
    # The gaps hold means of the laws, so the work drawn scatters about the load: it is met within sampling error.
    assert np.mean(offered) == pytest.approx(0.8, abs=4 * stats.sem(offered))
    assert stats.sem(offered) < 0.02


def test_the_gap_is_that_of_the_means_of_the_laws():
    of_trace = fitted.of_trace(WORLD, "small", "empirical")
    shares = (np.arange(400_000) + 0.5) / 400_000
    mean_phases = np.minimum(of_trace.phases.quantile(shares), 45).mean()
    mean_length_s = of_trace.length_s.quantile(shares).mean()
    assert of_trace.work_s() == pytest.approx(mean_phases * mean_length_s, rel=1e-3)
    for release, per_node in (("load", mean_phases * mean_length_s / 0.9), ("printed", 9 * mean_length_s)):
        settings = configuration(
            a={"laws": "empirical", "batches": 1, "jobs": 50, "traces": ["small"], "release": release}
        )
        jobs = hpc_memory.workloads(settings, WORLD)["jobs"]
        gaps = np.diff(jobs["submit_s"])
        assert (gaps[:4] == 0).all()
        np.testing.assert_allclose(gaps[4:], per_node * jobs["nodes"].to_numpy()[5:] / 54, rtol=1e-3)


def test_rows_say_where_the_laws_come_from():
    settings = configuration(
        fits={"batches": 2, "jobs": 20},
        points={"laws": "empirical", "batches": 1, "jobs": 20, "traces": ["large"]},
        paper={"laws": "documented", "batches": 1, "jobs": 20},
    )
    made = hpc_memory.workloads(settings, WORLD)["workloads"]
    assert made["workload_id"].to_list() == [
        "phased/large/empirical-n20-P54-load0.9/b00",
        "phased/large/fitted-n20-P54-load0.9/b00",
        "phased/large/fitted-n20-P54-load0.9/b01",
        "phased/n20-P54-uniform-beta-load0.9/b00",
        "phased/small/fitted-n20-P54-load0.9/b00",
        "phased/small/fitted-n20-P54-load0.9/b01",
    ]
    rows = made.filter(batch=0).select("trace", "laws", "origin", "memory_law", "kind").rows()
    assert rows == [
        ("large", "empirical", "fitted", "empirical", "phased"),
        ("large", "fitted", "fitted", "beta", "phased"),
        (None, "documented", "synthetic", "beta", "phased"),
        ("small", "fitted", "fitted", "beta", "phased"),
    ]
    assert made["job_nodes"].is_in(["empirical", "uniform", *laws.PARAMETERS]).all()


def test_machines_are_sized_by_the_mean_of_the_law():
    sweep = {"batches": 2, "jobs": 20, "traces": ["small"], "memory_over_mean": [1.0, 1.5], "schedulers": ["priority"]}
    settings = configuration(a=sweep)
    table = hpc_memory.scenarios(settings, WORLD)
    mean = fitted.of_trace(WORLD, "small", "fitted").memory_gb.mean
    empirical = WORLD["marginals"].filter(
        trace="small", quantity="memory_by_node_time_gb", law="empirical", parameter="mean"
    )["value"][0]
    assert mean == pytest.approx(empirical, rel=1e-6)  # a beta law has the moments of the values
    assert sorted(set(table["memory_per_node_gb"])) == pytest.approx([mean, 1.5 * mean], abs=1e-6)
    made = hpc_memory.workloads(settings, WORLD)
    assert hpc_memory.scenarios(settings, WORLD | made).equals(table)
    outcome = hpc_memory.replay(made, table)["outcomes"]
    assert outcome["end_s"].null_count() == 0


def test_loads_and_kinds_of_laws_share_their_random_numbers():
    settings = configuration(
        a={"batches": 1, "jobs": 200, "load": [0.7, 0.9], "traces": ["small"]},
        b={"batches": 1, "jobs": 200, "laws": "empirical", "traces": ["small"]},
    )
    made = hpc_memory.workloads(settings, WORLD)

    def jobs(workload):
        return made["jobs"].filter(workload_id=f"phased/small/{workload}/b00")["nodes"]

    assert jobs("fitted-n200-P54-load0.7").equals(jobs("fitted-n200-P54-load0.9"))
    ours, points = jobs("fitted-n200-P54-load0.9"), jobs("empirical-n200-P54-load0.9")
    assert stats.spearmanr(ours, points).statistic > 0.99
    other = hpc_memory.workloads(configuration(seed=2, a={"batches": 1, "jobs": 200, "traces": ["small"]}), WORLD)
    assert not other["jobs"]["nodes"].equals(ours)


def test_workloads_hang_on_the_drop_of_their_laws():
    settings = configuration(
        timeline=10, fits={"batches": 1, "jobs": 20}, paper={"laws": "documented", "batches": 1, "jobs": 20}
    )
    of_none = hpc_memory.part(settings, WORLD, None)
    assert list(of_none.hpc_memory.sweeps) == ["paper"]
    of_small = hpc_memory.part(settings, WORLD, "small")
    assert {name: sweep.traces for name, sweep in of_small.hpc_memory.sweeps.items()} == {"fits": ["small"]}
    assert of_small.hpc_memory.timeline == 0
    assert hpc_memory.part(settings, WORLD, "bare").hpc_memory.sweeps["fits"].traces == []


def test_the_default_run_draws_no_jobs_from_the_laws_of_a_trace():
    assert {sweep.laws for sweep in config.parse({}).hpc_memory.sweeps.values()} == {"documented"}


@pytest.mark.slow
def test_traces_without_laws_or_with_jobs_too_large_are_left_out_or_named():
    settings = configuration(a={"batches": 1, "jobs": 5, "nodes": 2})
    assert hpc_memory.workloads(settings, WORLD)["workloads"].height == 2
    only_large = WORLD | {
        "distributions": WORLD["distributions"].filter(
            (pl.col("quantity") != "nodes") | (pl.col("value") > 8) | (pl.col("trace") == "small")
        )
    }
    assert fitted.traces(only_large, "empirical", 8) == ["small"]
    assert fitted.traces(only_large, "empirical", 16) == ["small"]  # no two of the others run at once
    assert fitted.traces(only_large, "empirical", 10_000) == ["large", "small"]
    with pytest.raises(ValueError, match=r"\(fitted laws\): trace 'bare' has no"):
        hpc_memory.workloads(configuration(a={"batches": 1, "jobs": 5, "traces": ["bare"]}), WORLD)
    for missing in ("marginals", "distributions"):
        made = hpc_memory.workloads(
            configuration(a={"batches": 1, "jobs": 5, "laws": "fitted" if missing == "marginals" else "empirical"}),
            world(without=(missing,)),
        )
        assert made["workloads"].is_empty()


def test_only_phased_jobs_are_drawn_from_laws_of_a_trace():
    with pytest.raises(config.ConfigurationError, match="laws: fitted draws phased workloads; dynamic ones have"):
        configuration(a={"workload": "dynamic"})
