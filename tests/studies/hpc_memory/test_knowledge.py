"""What a scheduler knows of a job's memory: against a slow reference, and never the future."""

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from pipeline.studies.hpc_memory import arrays, replay
from pipeline.studies.hpc_memory.bins import upper_edge, width_of
from pipeline.studies.hpc_memory.knowledge import LATEST, knowing
from pipeline.studies.hpc_memory.schedulers import SCHEDULERS

SHARE_GB = 48.0
NODES = 8


def a_log(seed, jobs=60):
    """Jobs of a few users and names with everything that a log may lack, and their phases."""
    rng = np.random.default_rng(seed)
    submit = np.sort(rng.integers(0, 400, jobs)).astype(float)
    start = submit + rng.integers(0, 60, jobs)
    end = start + rng.integers(1, 80, jobs)
    lacks = rng.random((4, jobs)) < 0.15
    table = pl.DataFrame(
        {
            "workload_id": ["w"] * jobs,
            "job_id": [f"j{i}" for i in range(jobs)],
            "submit_s": submit,
            "nodes": rng.integers(1, 5, jobs),
            "walltime_s": [None if lack else float(v) for v, lack in zip(end, lacks[0], strict=True)],
            "user": [None if lack else f"u{v}" for v, lack in zip(rng.integers(0, 3, jobs), lacks[1], strict=True)],
            "name": [None if v == 3 else f"n{v}" for v in rng.integers(0, 4, jobs)],
            "log_start_s": [None if lack else v for v, lack in zip(start, lacks[2], strict=True)],
            "log_end_s": [None if lack else v for v, lack in zip(end, lacks[3], strict=True)],
            "requested_memory_gb": [None if v < 0.5 else v * 100 for v in rng.random(jobs)],
        }
    )
    phases = [
        ("w", f"j{i}", k, float(rng.integers(1, 9)), float(rng.integers(0, 6) * 10))
        for i in range(jobs)
        for k in range(rng.integers(1, 5))
    ]
    columns = ["workload_id", "job_id", "phase", "duration_s", "memory_gb"]
    return table, pl.DataFrame(phases, schema=columns, orient="row")


def profile_of(phases, jobs):
    """Share of their whole time that some jobs spend at each memory, in exact arithmetic."""
    levels, whole = {}, Fraction(0)
    for job, _, duration, memory in phases:
        if job in jobs:
            levels[memory] = levels.get(memory, Fraction(0)) + Fraction(duration)
            whole += Fraction(duration)
    return {memory: float(time / whole) for memory, time in levels.items() if memory > 0}


def slow_history(table, phases):
    """Profile and mean phase of each job from the page alone, by looking at all runs for each job."""
    rows = phases.select("job_id", "phase", "duration_s", "memory_gb").rows()
    jobs = table.to_dicts()
    known = {}
    for job in jobs:
        starts = job["log_start_s"] if job["log_start_s"] is not None else job["submit_s"]
        ended = [run for run in jobs if run["log_end_s"] is not None and run["log_end_s"] < starts]
        same_user = [run for run in ended if job["user"] is not None and run["user"] == job["user"]]
        same_name = [run for run in same_user if job["name"] is not None and run["name"] == job["name"]]
        runs = same_name or same_user or ended
        runs = {run["job_id"] for run in sorted(runs, key=lambda run: run["log_end_s"])[-LATEST:]}
        own = [row for row in rows if row[0] == job["job_id"]]
        if runs:
            of_runs = [row for row in rows if row[0] in runs]
            known[job["job_id"]] = profile_of(rows, runs), sum(row[2] for row in of_runs) / len(of_runs)
            continue
        asked = job["requested_memory_gb"]
        limit_s = job["walltime_s"] if job["walltime_s"] is not None else sum(row[2] for row in own)
        known[job["job_id"]] = {SHARE_GB if asked is None else asked: 1.0}, limit_s
    return known


def profiles(jobs):
    """Profile and mean phase of each job, as the arrays have them."""
    known = {}
    for j, job_id in enumerate(jobs.job_id):
        levels = slice(jobs.first_level[j], jobs.first_level[j + 1])
        memory, share, gain = (a[levels] for a in (jobs.level_memory_gb, jobs.level_share, jobs.level_gain))
        assert gain == pytest.approx(np.cumsum((share / memory)[::-1])[::-1])
        known[job_id] = dict(zip(memory.tolist(), share.tolist(), strict=True)), jobs.mean_phase_s[j]
    return known


def assert_equal(known, expected):
    assert known.keys() == expected.keys()
    for job_id, (levels, mean_phase_s) in expected.items():
        assert known[job_id][0] == pytest.approx(levels), job_id
        assert known[job_id][1] == pytest.approx(mean_phase_s), job_id


def prepared(table, phases, given=None):
    inputs = {"jobs": table, "phases": phases} | ({} if given is None else {"given": given})
    return arrays.prepared(inputs)["w"]


@pytest.mark.parametrize("seed", range(12))
def test_history_is_that_of_the_slow_reference(seed):
    table, phases = a_log(seed)
    # Distinct ends: which of two runs that end at once is the later one, the page leaves open.
    table = table.with_columns(log_end_s=pl.col("log_end_s") + pl.int_range(pl.len()) / 1000)
    expected = slow_history(table, phases)
    assert_equal(profiles(knowing(prepared(table, phases), "history", SHARE_GB)), expected)
    assert sum(len(levels) > 1 for levels, _ in expected.values()) > 30


@pytest.mark.parametrize("seed", range(4))
def test_history_knows_nothing_of_what_ends_later(seed):
    table, phases = a_log(seed)
    instant = 200.0
    future = table.filter(pl.col("log_end_s").is_null() | (pl.col("log_end_s") >= instant))["job_id"]
    poisoned = phases.with_columns(
        memory_gb=pl.when(pl.col("job_id").is_in(future.implode())).then(999.0).otherwise("memory_gb")
    )
    before = table.filter(pl.coalesce("log_start_s", "submit_s") <= instant)["job_id"].to_list()
    usual = profiles(knowing(prepared(table, phases), "history", SHARE_GB))
    other = profiles(knowing(prepared(table, poisoned), "history", SHARE_GB))
    assert len(before) > 10
    assert [usual[job_id] for job_id in before] == [other[job_id] for job_id in before]
    assert usual != other


def test_what_a_drop_gives_is_taken_and_history_is_for_the_rest():
    table, phases = a_log(1)
    rows = [("w", "j3", 70.0, 0.25), ("w", "j3", 20.0, 0.75), ("w", "j40", 0.0, 0.5), ("w", "j40", 5.0, 0.5)]
    given = pl.DataFrame(rows, schema=["workload_id", "job_id", "memory_gb", "probability"], orient="row")
    jobs = prepared(table, phases, given)
    history = profiles(knowing(jobs, "history", SHARE_GB))
    history["j3"] = {20.0: 0.75, 70.0: 0.25}, history["j3"][1]
    history["j40"] = {5.0: 0.5}, history["j40"][1]
    assert_equal(profiles(knowing(jobs, "given", SHARE_GB)), history)


def test_one_law_of_the_whole_log():
    table, phases = a_log(2)
    nodes = dict(table.select("job_id", "nodes").rows())
    weighted = phases.with_columns(
        duration_s=pl.col("duration_s") * pl.col("job_id").replace_strict(nodes, return_dtype=pl.Float64)
    )
    law = profile_of(weighted.select("job_id", "phase", "duration_s", "memory_gb").rows(), set(nodes))
    mean = phases["duration_s"].mean()
    jobs = prepared(table, phases)
    assert_equal(profiles(knowing(jobs, "trace", SHARE_GB)), dict.fromkeys(nodes, (law, mean)))


def test_a_law_of_many_values_keeps_its_mean_in_few_levels():
    table, phases = a_log(3)
    phases = phases.with_columns(memory_gb=1.0 + np.random.default_rng(0).random(len(phases)) * 100)
    jobs = prepared(table, phases)
    law, _ = profiles(knowing(jobs, "trace", SHARE_GB))["j0"]
    weight = jobs.phase_s * jobs.nodes[jobs.phase_job]
    assert len(law) <= 64
    assert sum(law.values()) == pytest.approx(1)
    assert sum(memory * share for memory, share in law.items()) == pytest.approx(
        weight @ jobs.phase_memory_gb / weight.sum()
    )


@pytest.mark.parametrize(("word", "width"), [("bins", None), ("bins:50", 50.0), ("bins:10", 10.0), ("bins:7.5", 7.5)])
def test_bins_are_at_their_upper_edges(word, width):
    table, phases = a_log(4)
    edges = [8 * 2**k for k in range(5)] if width is None else [width * k for k in range(1, 40)]
    expected = {}
    rows = phases.select("job_id", "phase", "duration_s", "memory_gb").rows()
    for job_id in table["job_id"]:
        own = [row for row in rows if row[0] == job_id]
        in_bins = [(*row[:3], next((e for e in edges if row[3] <= e), None) if row[3] else 0.0) for row in own]
        expected[job_id] = profile_of(in_bins, {job_id}), sum(row[2] for row in own) / len(own)
    assert_equal(profiles(knowing(prepared(table, phases), word, SHARE_GB)), expected)


def test_edges_of_bins():
    memory = np.array([0, 1e-3, 8, 8.001, 16, 64, 64.5, 128, 129, 256, 300])
    assert upper_edge(memory, None).tolist() == [0, 8, 8, 16, 16, 64, 128, 128, 256, 256, 512]
    assert upper_edge(np.array([0, 0.1, 0.3, 0.6, 0.61]), 0.1) == pytest.approx([0, 0.1, 0.3, 0.6, 0.7])
    assert [width_of(word) for word in ("own", "bins", "bins:2.5")] == [None, None, 2.5]


def scenarios(**columns):
    names = ["priority", "stochastic", "cost_aware"]
    return pl.DataFrame(
        {"scenario_id": names, "scheduler": names, "workload_id": ["w"] * 3, "nodes": [NODES] * 3,
         "memory_gb": [NODES * SHARE_GB] * 3} | {name: [value] * 3 for name, value in columns.items()}
    )  # fmt: skip


def outcomes(knowledge, table, phases):
    results = replay({"jobs": table, "phases": phases}, scenarios(knowledge=knowledge))
    return {
        name: frame.rows() for (name,), frame in results["outcomes"].partition_by("scenario_id", as_dict=True).items()
    }


def test_only_rules_that_read_profiles_depend_on_knowledge():
    table, phases = a_log(5)
    phases = phases.with_columns(memory_gb=pl.col("memory_gb") * 3)
    own, default = outcomes("own", table, phases), outcomes(None, table, phases)
    assert own == default
    for word in ("given", "history", "trace", "bins", "bins:40"):
        other = outcomes(word, table, phases)
        for name, scheduler in SCHEDULERS.items():
            if name in other:
                assert (other[name] != own[name]) == getattr(scheduler, "PROFILE", False), (word, name)


def test_memory_aware_easy_reads_what_is_known():
    table, phases = a_log(6, jobs=200)
    phases = phases.with_columns(memory_gb=pl.col("memory_gb") * 3)
    row = scenarios(backfilling="memory_aware_easy").head(1)
    starts = [
        replay({"jobs": table, "phases": phases}, row.with_columns(knowledge=pl.lit(word)))["outcomes"]["start_s"]
        for word in ("own", "history")
    ]
    assert starts[0].to_list() != starts[1].to_list()


def test_all_jobs_are_run_whatever_is_known_of_a_machine_without_memory():
    table, phases = a_log(7)
    rows = scenarios(knowledge="history").with_columns(memory_gb=pl.lit(0.0))
    ends = replay({"jobs": table, "phases": phases}, rows)["outcomes"]["end_s"]
    assert ends.null_count() == 0
    assert all(math.isfinite(end) for end in ends)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("owned", r"unknown knowledge 'owned'; known: own, given, history, trace, bins, bins:<width in GB>"),
        ("bins:0", r"knowledge 'bins:0': the width of the bins must be a number of GB above 0, as in bins:50"),
        ("bins:wide", r"knowledge 'bins:wide': the width of the bins must be a number"),
        ("bins:inf", r"knowledge 'bins:inf': the width of the bins must be a number"),
    ],
)
def test_a_word_that_is_none_is_refused(word, message):
    table, phases = a_log(0, jobs=3)
    with pytest.raises(ValueError, match=message):
        replay({"jobs": table, "phases": phases}, scenarios(knowledge=word))


@pytest.mark.parametrize(("column", "value"), [("log_end_s", float("nan")), ("requested_memory_gb", -1.0)])
def test_a_log_is_checked(column, value):
    table, phases = a_log(0, jobs=3)
    with pytest.raises(ValueError, match=f"jobs: {column} is {value} in row 1; it must be .*finite"):
        replay({"jobs": table.with_columns(pl.lit(value).alias(column)), "phases": phases}, scenarios())
