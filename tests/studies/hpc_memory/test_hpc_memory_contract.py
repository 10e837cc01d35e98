"""What every scheduler of hpc_memory owes its users, for all that are found."""

from random import Random

import polars as pl
import pytest
from hpc_memory_cases import BACKFILLINGS, METRICS, RECONFIGURATIONS, random_workload, scenario_table, tables
from hpc_memory_slow import Job, Scenario
from polars.testing import assert_frame_equal

from pipeline.studies import hpc_memory

SCHEDULERS = tuple(sorted(hpc_memory.schedulers()))
NODES = 6
every_scheduler = pytest.mark.parametrize("scheduler", SCHEDULERS)


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


def as_bytes(result, *, only=None):
    """Each table of a result as its schema and text (floats in full), rows in the order of all their columns."""
    parts = result if only is None else {k: frame.filter(pl.col("scenario_id") == only) for k, frame in result.items()}
    return {
        name: (frame.schema, frame.sort(pl.all(), nulls_last=True).write_csv().encode())
        for name, frame in parts.items()
    }


def test_the_schedulers_of_the_design_are_found():
    wanted = {"unlimited", "aggregated", "priority", "stochastic", "oldest_first", "largest_first", "cost_aware"}
    assert wanted <= set(SCHEDULERS)


@every_scheduler
def test_same_input_same_bytes(scheduler):
    workloads = random_inputs(1)
    first, second = (hpc_memory.replay(tables(workloads), every_option(scheduler, workloads)) for _ in range(2))
    assert as_bytes(first) == as_bytes(second)
    assert all(first[name].equals(second[name]) for name in first)


@every_scheduler
def test_every_job_ends_once_or_is_rejected_with_a_reason(scheduler):
    workloads = random_inputs(2, 60)
    outcomes = hpc_memory.replay(tables(workloads), every_option(scheduler, workloads))["outcomes"]
    submitted = tables(workloads)["jobs"].with_columns(scenario_id=pl.lit(f"{scheduler} ") + pl.col("workload_id"))
    joined = submitted.join(outcomes, on=["scenario_id", "job_id"], how="full", coalesce=True, maintain_order="left")
    assert joined.height == submitted.height == outcomes.height
    too_large = pl.col("nodes") > NODES
    refused, served = joined.filter(too_large), joined.filter(~too_large)
    assert refused.height > 0
    assert refused["start_s"].null_count() == refused["end_s"].null_count() == refused.height
    assert set(refused["rejected"]) == {"larger_than_machine"}
    assert served["rejected"].null_count() == served.height
    assert served.filter((pl.col("start_s") >= pl.col("submit_s")) & (pl.col("end_s") > pl.col("start_s"))).equals(
        served
    )


@every_scheduler
def test_nodes_are_never_oversubscribed(scheduler):
    workloads = random_inputs(3, 60)
    outcomes = hpc_memory.replay(tables(workloads), every_option(scheduler, workloads))["outcomes"]
    jobs = tables(workloads)["jobs"].with_columns(scenario_id=pl.lit(f"{scheduler} ") + pl.col("workload_id"))
    served = outcomes.drop_nulls("start_s").join(
        jobs.select("scenario_id", "job_id", "nodes"), on=["scenario_id", "job_id"], maintain_order="left"
    )
    # at one instant (1e-6 s) ends come first
    events = pl.concat(
        [
            served.select("scenario_id", at="end_s", order=pl.lit(0), change=-pl.col("nodes")),
            served.select("scenario_id", at=pl.col("start_s") + 1e-6, order=pl.lit(1), change=pl.col("nodes")),
        ]
    ).sort("scenario_id", "at", "order")
    in_use = events.select(in_use=pl.col("change").cum_sum().over("scenario_id"))["in_use"]
    assert in_use.max() == NODES
    assert in_use.min() == 0


@every_scheduler
def test_memory_is_never_given_twice(scheduler):
    """Targets of the running jobs sum to no more than the machine's memory, and usable is part of a target."""
    workloads = random_inputs(15, 60)
    scenarios = every_option(scheduler, workloads).with_columns(timeline=pl.lit(True))
    timeline = hpc_memory.replay(tables(workloads), scenarios)["timeline"]
    assert timeline.height > 500
    assert timeline.select((pl.col("usable_gb") <= pl.col("target_gb") + 1e-9).all()).item()
    if scheduler == "unlimited":
        return
    # what a job holds is its last target; a row at its end says 0
    change = pl.col("target_gb").diff().over("scenario_id", "job_id").fill_null(pl.col("target_gb"))
    held = (
        timeline.with_columns(change=change)
        .group_by("scenario_id", "time_s")
        .agg(pl.col("change").sum())
        .sort("scenario_id", "time_s")
        .select(pl.col("change").cum_sum().over("scenario_id"))
        .to_series()
    )
    assert held.max() <= 16 + 1e-6
    assert held.max() > 15
    assert held.min() >= -1e-6


def transformed(workloads, change):
    """The workloads with `change` applied to each job."""
    return {workload_id: [change(job) for job in jobs] for workload_id, jobs in workloads.items()}


@every_scheduler
def test_shifting_all_times_shifts_the_results(scheduler):
    workloads = random_inputs(4, 40)
    later = transformed(workloads, lambda j: Job(j.job_id, j.submit + 1024, j.nodes, j.phases, j.walltime, j.profile))
    scenarios = every_option(scheduler, workloads)
    base, moved = (hpc_memory.replay(tables(each), scenarios) for each in (workloads, later))
    shifted = base["outcomes"].with_columns(pl.col("start_s", "end_s") + 1024)
    assert_frame_equal(moved["outcomes"], shifted, abs_tol=1e-8, rel_tol=0)
    assert_frame_equal(moved["metrics"], base["metrics"], abs_tol=1e-8, rel_tol=1e-9)


@every_scheduler
def test_scaling_all_times_and_tau_scales_the_results(scheduler):
    workloads = random_inputs(5, 40)

    def longer(j):
        walltime = None if j.walltime is None else 4 * j.walltime
        return Job(j.job_id, 4 * j.submit, j.nodes, tuple((4 * d, m) for d, m in j.phases), walltime, j.profile)

    scenarios = every_option(scheduler, workloads)
    base = hpc_memory.replay(tables(workloads), scenarios)
    longer_scenarios = scenarios.with_columns(pl.col("tau_s") * 4)
    scaled = hpc_memory.replay(tables(transformed(workloads, longer)), longer_scenarios)
    expected = base["outcomes"].with_columns(pl.col("start_s", "end_s") * 4)
    assert_frame_equal(scaled["outcomes"], expected, abs_tol=1e-8, rel_tol=0)
    is_time = pl.col("metric").is_in(
        ["mean_response_s", "mean_wait_s", "makespan_s", "steady_response_s", "steady_wait_s"]
    )
    # Slowdowns are bounded by a run time in seconds.
    scaling = [name for name in METRICS if name != "steady_slowdown"]
    same, times = (base["metrics"].filter(pl.col("metric").is_in(scaling) & keep) for keep in (~is_time, is_time))
    found_same, found_times = (
        scaled["metrics"].filter(pl.col("metric").is_in(scaling) & keep) for keep in (~is_time, is_time)
    )
    assert_frame_equal(found_same, same, abs_tol=1e-9, rel_tol=1e-9)
    assert_frame_equal(found_times, times.with_columns(pl.col("value") * 4), abs_tol=1e-8, rel_tol=1e-9)


@every_scheduler
def test_the_order_of_rows_means_nothing(scheduler):
    workloads = random_inputs(6)
    inputs, scenarios = tables(workloads), every_option(scheduler, workloads)
    base = as_bytes(hpc_memory.replay(inputs, scenarios))
    for seed in range(3):
        shuffled = {name: frame.sample(fraction=1, shuffle=True, seed=seed) for name, frame in inputs.items()}
        mixed = scenarios.sample(fraction=1, shuffle=True, seed=seed)
        assert as_bytes(hpc_memory.replay(shuffled, mixed)) == base


@every_scheduler
def test_a_scenario_alone_gives_what_it_gives_in_a_batch(scheduler):
    workloads = random_inputs(7)
    scenarios = every_option(scheduler, workloads)
    batch = hpc_memory.replay(tables(workloads), scenarios)
    for row in scenarios.sort("scenario_id").partition_by("scenario_id")[:6]:
        scenario_id, workload_id = row["scenario_id"].item(), row["workload_id"].item()
        alone = as_bytes(hpc_memory.replay(tables({workload_id: workloads[workload_id]}), row))
        assert alone == as_bytes(batch, only=scenario_id)


def test_schedulers_do_not_disturb_each_other_in_a_batch():
    workloads = random_inputs(8, 4)
    batch = hpc_memory.replay(
        tables(workloads), pl.concat([every_option(scheduler, workloads) for scheduler in SCHEDULERS])
    )
    for scheduler in SCHEDULERS:
        own = hpc_memory.replay(tables(workloads), every_option(scheduler, workloads))
        mine = {k: v.filter(pl.col("scenario_id").str.starts_with(f"{scheduler} ")) for k, v in batch.items()}
        assert as_bytes(mine) == as_bytes(own)


@every_scheduler
def test_no_scenarios_give_empty_tables(scheduler):
    workloads = random_inputs(9, 1)
    full = hpc_memory.replay(tables(workloads), every_option(scheduler, workloads))
    empty = hpc_memory.replay(tables(workloads), every_option(scheduler, workloads).clear())
    for name in ("outcomes", "metrics"):
        assert empty[name].height == 0
        assert empty[name].schema == full[name].schema


@every_scheduler
def test_a_workload_without_an_accepted_job_measures_nothing(scheduler):
    outcomes, metrics = one([Job(1, 0, NODES + 1, ((1, 1),))], Scenario(NODES, 16, scheduler))
    assert outcomes[1]["start_s"] is outcomes[1]["end_s"] is None
    assert outcomes[1]["rejected"] == "larger_than_machine"
    assert all(metrics[name] is None for name in METRICS[:5])
    assert metrics["reconfigurations"] == metrics["moved_gb"] == 0


@every_scheduler
@pytest.mark.parametrize("backfilling", BACKFILLINGS)
def test_one_job_alone_starts_at_once_and_runs_at_full_speed(scheduler, backfilling):
    """With its memory usable from the start: no duration of a reconfiguration, and enough memory in every share."""
    job = Job(7, 3, 2, ((2, 5), (1.5, 0), (4, 8)))
    enough = Scenario(NODES, 8 * NODES, scheduler, 0.03, 0, backfilling=backfilling)
    outcomes, metrics = one([job], enough)
    assert (outcomes[7]["start_s"], outcomes[7]["end_s"]) == pytest.approx((3, 10.5), abs=1e-9)
    assert metrics["mean_response_s"] == metrics["makespan_s"] == pytest.approx(7.5, abs=1e-9)
    assert metrics["mean_wait_s"] == 0
    assert metrics["utilisation"] is None


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


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Int32, pl.Int16, pl.UInt32, pl.UInt64, pl.String], ids=str)
def test_ids_come_back_with_their_dtype(dtype):
    workloads = {"10": [Job(k, 0, 2, ((1, 2),)) for k in (3, 20, 100)], "9": [Job(3, 0, 2, ((1, 2),))]}
    scenarios = scenario_table({"1": ("10", Scenario(4, 8, "priority")), "2": ("9", Scenario(4, 8, "priority"))})
    ids = pl.col("^(workload|job|scenario)_id$").cast(dtype)
    inputs = {name: frame.with_columns(ids) for name, frame in tables(workloads).items()}
    result = hpc_memory.replay(inputs, scenarios.with_columns(ids))
    assert result["outcomes"].schema["scenario_id"] == result["metrics"].schema["scenario_id"] == dtype
    assert result["outcomes"].schema["job_id"] == dtype
    found = result["outcomes"].select(pl.col("scenario_id", "job_id").cast(pl.String)).rows()
    assert sorted(found) == sorted([("1", "3"), ("1", "20"), ("1", "100"), ("2", "3")])
    # ties of release go by id, numbers in it by value: 3, 20, 100
    first = result["outcomes"].filter(pl.col("scenario_id").cast(pl.String) == "1").sort("start_s", "job_id")
    assert first["job_id"].cast(pl.String)[-1] == "100"


def test_workload_ids_need_not_have_the_dtype_of_scenario_ids():
    inputs = {
        name: frame.with_columns(pl.col("workload_id").cast(pl.Int64))
        for name, frame in tables({"4": [Job(1, 0, 1, ((1, 1),))]}).items()
    }
    scenarios = scenario_table({"text": ("4", Scenario(1, 1, "priority", tau=0))})
    outcomes = hpc_memory.replay(inputs, scenarios.with_columns(pl.col("workload_id").cast(pl.Int64)))["outcomes"]
    assert outcomes.select("scenario_id", "job_id", "end_s").rows() == [("text", 1, 1.0)]


@pytest.mark.parametrize("dtype", [pl.Int32, pl.UInt16, pl.Int64, pl.UInt64, pl.Float32], ids=str)
def test_numeric_columns_may_have_any_numeric_dtype(dtype):
    jobs = [Job(1, 0, 2, ((4, 2), (2, 4)), 40, ((2, 1),)), Job(2, 1, 3, ((8, 4),), 30), Job(3, 2, 4, ((2, 1),), 16)]
    inputs = tables({"w": jobs})
    scenarios = scenario_table({"s": ("w", Scenario(4, 8, "priority", 0.5, 2))})
    numbers = pl.col("^(submit_s|nodes|walltime_s|phase|duration_s|memory_gb|tau_s|probability|seed)$").cast(dtype)
    recast = hpc_memory.replay(
        {name: frame.with_columns(numbers) for name, frame in inputs.items()},
        scenarios.with_columns(numbers, pl.col("alpha").cast(pl.Float32)),
    )
    assert as_bytes(recast) == as_bytes(hpc_memory.replay(inputs, scenarios))


DEFAULTS = {
    "alpha": 0.03,
    "tau_s": 1.0,
    "reconfiguration": "serial",
    "backfilling": "easy",
    "free_start": False,
    "largest_by": "memory",
}


@every_scheduler
def test_absent_columns_and_null_cells_take_the_default(scheduler):
    workloads = random_inputs(11, 6)
    scenarios = every_option(scheduler, workloads)
    given = as_bytes(
        hpc_memory.replay(tables(workloads), scenarios.with_columns(**{k: pl.lit(v) for k, v in DEFAULTS.items()}))
    )
    absent = hpc_memory.replay(tables(workloads), scenarios.drop(DEFAULTS))
    null = scenarios.with_columns(pl.lit(None, dtype=scenarios.schema[name]).alias(name) for name in DEFAULTS)
    untyped = scenarios.with_columns(pl.lit(None).alias(name) for name in DEFAULTS)
    assert as_bytes(absent) == given
    assert as_bytes(hpc_memory.replay(tables(workloads), null)) == given
    assert as_bytes(hpc_memory.replay(tables(workloads), untyped)) == given


def test_a_null_cell_takes_the_default_beside_a_given_one():
    jobs = {"w": [Job(1, 0, 1, ((4, 2),))]}
    rows = {k: ("w", Scenario(1, 2, "priority", 0.5)) for k in ("given", "null")}
    scenarios = scenario_table(rows).with_columns(tau_s=pl.Series([4.0, None]), alpha=pl.Series([None, 0.5]))
    outcomes = hpc_memory.replay(tables(jobs), scenarios)["outcomes"].sort("scenario_id")
    assert outcomes["end_s"].to_list() == pytest.approx([4 + 0.97 * 4, 4 + 0.5])


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


def test_inputs_are_left_as_they_are():
    workloads = random_inputs(14, 4)
    inputs, scenarios = tables(workloads), every_option("priority", workloads)
    before = {name: frame.clone() for name, frame in inputs.items()}, scenarios.clone()
    hpc_memory.replay(inputs, scenarios)
    assert all(inputs[name].equals(before[0][name]) for name in before[0])
    assert scenarios.equals(before[1])
