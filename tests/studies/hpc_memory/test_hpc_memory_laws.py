"""Laws of the replay of hpc_memory beyond the contract of all schedulers: work, walltimes, profiles, ties."""

from random import Random

import polars as pl
import pytest
from hpc_memory_cases import BACKFILLINGS, METRICS, RECONFIGURATIONS, random_workload, scenario_table, tables
from hpc_memory_slow import Job, Scenario
from polars.testing import assert_frame_equal

from pipeline.studies import hpc_memory

NODES = 6
every_scheduler = pytest.mark.parametrize("scheduler", hpc_memory.schedulers())


def random_inputs(seed, count=20):
    """Workloads w0, w1, … on NODES nodes, times in quarters of a second."""
    rng = Random(seed)
    return {f"w{k}": random_workload(rng, NODES) for k in range(count)}


def every_option(scheduler, workloads):
    """Each workload under one combination of options, all combinations in turn."""
    options = [(r, b, f) for r in RECONFIGURATIONS for b in BACKFILLINGS for f in (False, True)]
    rows = {}
    for k, workload_id in enumerate(workloads):
        reconfiguration, backfilling, free_start = options[k % len(options)]
        scenario = Scenario(NODES, 16, scheduler, 0.25, k % 3, reconfiguration, backfilling, free_start)
        rows[f"{scheduler} {workload_id}"] = (workload_id, scenario)
    return scenario_table(rows)


def one(jobs, scenario, **columns):
    """Outcomes (by job_id) and metrics of one scenario; `columns` override cells of its row."""
    scenarios = scenario_table({"s": ("w", scenario)}).with_columns(pl.lit(v).alias(k) for k, v in columns.items())
    result = hpc_memory.replay(tables({"w": jobs}), scenarios)
    outcomes = {row["job_id"]: row for row in result["outcomes"].iter_rows(named=True)}
    return outcomes, dict(result["metrics"].select("metric", "value").iter_rows())


def as_bytes(result):
    """Each table of a result as its schema and text (floats in full)."""
    return {name: (frame.schema, frame.write_csv()) for name, frame in result.items()}


@every_scheduler
def test_a_workload_without_an_accepted_job_measures_nothing(scheduler):
    outcomes, metrics = one([Job(1, 0, NODES + 1, ((1, 1),))], Scenario(NODES, 16, scheduler))
    assert outcomes[1]["start_s"] is outcomes[1]["end_s"] is None
    assert outcomes[1]["rejected"] == "larger_than_machine"
    assert all(metrics[name] is None for name in METRICS[:5])
    assert metrics["reconfigurations"] == metrics["moved_gb"] == 0


@every_scheduler
def test_one_job_alone_waits_for_its_first_memory_at_speed_alpha(scheduler):
    """One phase: tau seconds at alpha where memory is reconfigured, none where nodes bring it or at a free start."""
    job, scenario = Job(7, 3, 2, ((20, 8),)), Scenario(NODES, 8 * NODES, scheduler, 0.25, 4)
    lost = 0 if scheduler in ("unlimited", "aggregated", "cost_aware") else (1 - 0.25) * 4
    outcomes, _ = one([job], scenario)
    assert (outcomes[7]["start_s"], outcomes[7]["end_s"]) == pytest.approx((3, 23 + lost), abs=1e-9)
    outcomes, _ = one([job], scenario, free_start=True)
    assert (outcomes[7]["start_s"], outcomes[7]["end_s"]) == pytest.approx((3, 23), abs=1e-9)


@every_scheduler
def test_a_finished_job_has_done_its_full_speed_work(scheduler):
    """Useful node-seconds of all jobs = sum of c·T_opt, once the last release lies behind their ends."""
    rng = Random(10)
    workloads = {}
    for k in range(30):
        jobs = [j for j in random_workload(rng, NODES) if j.nodes <= NODES]
        workloads[f"w{k}"] = [*jobs, Job(99, 4096, 1, ((1, 0),))]
    result = hpc_memory.replay(tables(workloads), every_option(scheduler, workloads))
    values = {(s, m): v for s, m, v in result["metrics"].select("scenario_id", "metric", "value").iter_rows()}
    times = {
        (s, j): (a, b) for s, j, a, b in result["outcomes"].select("scenario_id", "job_id", "start_s", "end_s").rows()
    }
    for workload_id, jobs in workloads.items():
        scenario_id = f"{scheduler} {workload_id}"
        window = NODES * (4096 - min(job.submit for job in jobs))
        useful = sum(job.nodes * job.full_speed_s for job in jobs[:-1])
        held = sum(
            job.nodes * (times[scenario_id, job.job_id][1] - times[scenario_id, job.job_id][0]) for job in jobs[:-1]
        )
        assert values[scenario_id, "utilisation"] * window == pytest.approx(useful, rel=1e-8, abs=1e-4)
        assert values[scenario_id, "busy_utilisation"] * window == pytest.approx(held, rel=1e-8, abs=1e-4)
        assert useful <= held * (1 + 1e-9)


@pytest.mark.parametrize("dtype", [pl.Int64, pl.String], ids=str)
def test_ties_of_release_go_by_the_numbers_in_ids(dtype):
    inputs = tables({"w": [Job(k, 0, 2, ((1, 2),)) for k in (3, 20, 100)]})
    inputs = {name: frame.cast({"job_id": dtype}) for name, frame in inputs.items()}
    outcomes = hpc_memory.replay(inputs, scenario_table({"s": ("w", Scenario(2, 8, "priority"))}))["outcomes"]
    assert outcomes.sort("start_s")["job_id"].cast(pl.String).to_list() == ["3", "20", "100"]


def transformed(workloads, change):
    """The workloads with `change` applied to each job."""
    return {workload_id: [change(job) for job in jobs] for workload_id, jobs in workloads.items()}


def test_walltimes_not_given_are_the_worst_case():
    workloads = random_inputs(12, 30)
    unknown = transformed(workloads, lambda j: Job(j.job_id, j.submit, j.nodes, j.phases, None, j.profile))
    known = transformed(workloads, lambda j: Job(j.job_id, j.submit, j.nodes, j.phases, j.full_speed_s * 4, j.profile))
    scenarios = every_option("priority", workloads)  # alpha = 1/4
    # memory_aware_easy tells them apart: where no walltime is given it expects less than the worst case
    scenarios = scenarios.filter(pl.col("backfilling") != "memory_aware_easy")
    without = tables(unknown) | {"jobs": tables(unknown)["jobs"].drop("walltime_s")}
    expected = as_bytes(hpc_memory.replay(tables(known), scenarios))
    assert as_bytes(hpc_memory.replay(tables(unknown), scenarios)) == expected
    assert as_bytes(hpc_memory.replay(without, scenarios)) == expected


def test_profiles_not_given_are_those_of_the_phases():
    """Shares of the phases' durations; phases with equal memory are one level."""
    bare = transformed(random_inputs(13, 30), lambda j: Job(j.job_id, j.submit, j.nodes, j.phases, j.walltime))

    def with_profile(j):
        levels = sorted({m for _, m in j.phases})
        shares = [sum(d for d, m in j.phases if m == level) / j.full_speed_s for level in levels]
        return Job(j.job_id, j.submit, j.nodes, j.phases, j.walltime, tuple(zip(levels, shares, strict=True)))

    scenarios = every_option("stochastic", bare)
    spelled_out = hpc_memory.replay(tables(transformed(bare, with_profile)), scenarios)
    implied = hpc_memory.replay(tables(bare), scenarios)
    assert "profiles" not in tables(bare)
    assert_frame_equal(implied["outcomes"], spelled_out["outcomes"], abs_tol=1e-9, rel_tol=0)
    assert_frame_equal(implied["metrics"], spelled_out["metrics"], abs_tol=1e-9, rel_tol=1e-9)
