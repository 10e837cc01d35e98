"""Replays beside the starts of a log: a log that one dialect makes, one counted by hand, executions, and bad logs."""

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pipeline.studies.hpc_memory import fidelity, replay
from pipeline.studies.hpc_memory.dialects import SETTINGS
from pipeline.studies.hpc_memory.fidelity import compare

JOB = {"submit_s": pl.Float64, "nodes": pl.Int64, "walltime_s": pl.Float64, "start_s": pl.Float64, "end_s": pl.Float64}


FIRST = (-0.002, 1, 1, -0.002, -0.001)
"""A job that ends before any other starts: no other is given."""


def log(rows, trace="drop/run", names=None, first=(FIRST,)):
    """Jobs (submit, nodes, limit, start, end) as the canonical table, behind others."""
    jobs = pl.DataFrame([*first, *rows], schema=JOB, orient="row")
    names = names and [*map(str, range(len(first))), *names]
    ids = pl.int_range(pl.len(), dtype=pl.Int64)
    return jobs.with_columns(
        trace=pl.lit(trace),
        job_id=ids.cast(pl.String),
        name=pl.Series(names or [None] * len(jobs), dtype=pl.String),
        position=ids,
    )


def machine(nodes, *traces):
    return pl.DataFrame({"trace": traces or ("drop/run",), "nodes": [nodes] * (len(traces) or 1)})


def value(tables, setting, half, measure, column="value"):
    rows = tables["log_fidelity"].filter(
        pl.col("setting") == setting, pl.col("half") == half, pl.col("measure") == measure
    )
    return rows[column].item()


# On 2 nodes: job 1 waits for both, job 2 would fit beside job 0 and ends after it, job 3 ends before.
OF_FCFS = [
    (0, 1, 100, 0, 100),
    (1, 2, 100, 100, 200),
    (2, 1, 200, 200, 400),
    (3, 1, 50, 200, 250),
]


def test_a_log_that_fcfs_makes_is_replayed_without_an_error_and_easy_swaps_one_job():
    tables = compare(log(OF_FCFS), machine(2))
    assert value(tables, "fcfs", "whole", "mean_wait_error") == 0
    assert value(tables, "fcfs", "whole", "near_starts") == 1
    assert value(tables, "fcfs", "whole", "discordant_pairs") == 0
    # Under EASY job 3 starts at 3 s: before jobs 1 and 2, and the waits are 0, 99, 198 and 0 s, not 0, 99, 198, 197.
    assert value(tables, "easy", "whole", "mean_wait_measured_s") == pytest.approx((99 + 198 + 197) / 4)
    assert value(tables, "easy", "whole", "mean_wait_replayed_s") == pytest.approx((99 + 198) / 4)
    # Of 6 pairs (1, 3) is swapped; 2 and 3 start together on the machine.
    assert value(tables, "easy", "whole", "discordant_pairs") == pytest.approx(1 / 6)
    assert value(tables, "measured", "whole", "jobs_compared") == 4
    assert value(tables, "measured", "whole", "limits_assumed") == 0
    assert value(tables, "fcfs", "second", "mean_wait_error", "closest") is True


def test_a_job_that_waits_without_need_is_held_back():
    # Both fit the machine; the second starts two minutes late.
    rows = [(0, 1, 500, 0, 500), (10, 1, 500, 130, 600), (20, 1, 10, 600, 610), (30, 1, 10, 610, 620)]
    tables = compare(log(rows), machine(4))
    assert value(tables, "measured", "whole", "held_back") == 3 / 4
    assert value(compare(log(rows), machine(2)), "measured", "whole", "held_back") == 1 / 4


def test_the_queue_counts_who_waits_and_what_runs():
    queue = compare(log(OF_FCFS), machine(2))["queue_lengths"].filter(pl.col("setting") == "measured")
    assert queue["time_s"].min() == FIRST[0]
    assert queue["time_s"].max() == 3
    assert queue.row(0, named=True) | {"trace": ""} == {
        "trace": "", "setting": "measured", "time_s": FIRST[0], "waiting": 0, "busy": 0.5,
    }  # fmt: skip
    assert queue["waiting"].to_list()[-1] == 3
    assert queue["busy"].to_list()[-1] == 0.5


def test_a_cut_begins_with_the_jobs_that_are_on_the_machine_and_in_the_queue():
    """Of 4 nodes 3 are in use at the cut, by jobs of which one was submitted long before; who waits then starts as on a
    machine that they hold, not on an empty one."""
    running = [(-500, 2, 900, -300, 400), (-50, 1, 200, -50, 100)]
    rows = [(-40, 2, 100, 100, 200), (120, 2, 100, 400, 500), (390, 1, 50, 390, 440), (395, 1, 50, 395, 445)]
    tables = compare(log(rows, first=running), machine(4))
    assert value(tables, "measured", "whole", "jobs_given") == 2
    assert value(tables, "measured", "whole", "jobs_compared") == 4
    for setting in ("easy", "conservative"):
        assert value(tables, setting, "whole", "mean_wait_error") == pytest.approx((140 + 80 + 0 + 0) / 420 - 1)
        assert value(tables, setting, "first", "start_error_median_s") == pytest.approx(100)


def test_limits_that_a_log_does_not_have_are_the_run_time_and_are_drawn_too():
    rows = [(submit, nodes, None, start, end) for submit, nodes, _, start, end in OF_FCFS]
    tables = compare(log(rows), machine(2))["log_fidelity"]
    names = {setting.name for setting in SETTINGS}
    assert set(tables["setting"]) == {"measured", *names, *(f"{name}_drawn" for name in names)}
    assert compare(log(rows), machine(2))["log_fidelity"].equals(tables)
    # The name of a log draws nothing.
    renamed = compare(log(rows, trace="drop/other"), machine(2, "drop/other"))["log_fidelity"]
    assert renamed.drop("trace").equals(tables.drop("trace"))
    drawn = pl.col("setting").str.ends_with("_drawn")
    spread = tables.filter(drawn, pl.col("value").is_not_null())
    assert spread.filter(pl.col("value").is_between("least", "most")).height == spread.height
    assert (spread["least"] < spread["most"]).any()
    assert tables.filter(~drawn).select("least", "most").null_count().row(0) == (tables.filter(~drawn).height,) * 2
    assert set(compare(log(OF_FCFS), machine(2))["log_fidelity"]["setting"]) == {"measured", *names}


def test_the_second_half_chooses_nothing():
    """Jobs of the second half that start at any time leave the choice as it is, and what is said of the first half."""
    rng, easy = np.random.default_rng(3), []
    submit = np.cumsum(rng.exponential(40, 60)).round()
    for at in submit:
        size, run = int(rng.integers(1, 5)), float(rng.integers(20, 200))
        easy.append((float(at), size, run * 2, float(at + rng.integers(0, 300)), 0.0))
    rows = [(at, size, limit, start, start + limit / 2) for at, size, limit, start, _ in easy]
    middle = (FIRST[0] + submit[-1]) / 2
    poisoned = [row if row[0] < middle else (*row[:3], row[0] + 9000.0, row[0] + 9000.0 + row[2] / 2) for row in rows]
    kept, other = (compare(log(each), machine(4))["log_fidelity"] for each in (rows, poisoned))
    assert set(kept.filter("closest")["setting"]) == set(other.filter("closest")["setting"])
    before, after = (value({"log_fidelity": each}, "easy", "second", "mean_wait_measured_s") for each in (kept, other))
    assert before < 300 < 8000 < after
    replays = pl.col("half") == "first", pl.col("setting") != "measured", ~pl.col("measure").str.starts_with("util")
    assert kept.filter(*replays).equals(other.filter(*replays))


def test_executions_of_one_workload_tell_the_noise():
    names = ["a", "b", "c", "d"]
    late = [(submit, nodes, limit, start + 10, end + 10) for submit, nodes, limit, start, end in OF_FCFS]
    jobs = pl.concat([log(OF_FCFS, "drop/one", names), log(late, "drop/two", names)])
    tables = compare(jobs, machine(2, "drop/one", "drop/two"))
    one = tables["log_fidelity"].filter(
        pl.col("trace") == "drop/one", pl.col("setting") == "easy", pl.col("half") == "whole"
    )
    noise = dict(one.select("measure", "noise").iter_rows())
    assert noise["mean_wait_error"] == pytest.approx(40 / (99 + 198 + 197))
    assert noise["start_error_median_s"] == 10
    assert noise["mean_wait_measured_s"] is None
    other = compare(
        pl.concat([jobs, log(late, "drop/three", ["a", "b", "c", "x"])]), machine(2, "drop/one", "drop/two")
    )
    assert other["log_fidelity"].equals(tables["log_fidelity"])


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [(0, 1, 10, 0, 10)],
        [(0, 1, 10, None, None)] * 9,
        # Larger than the machine, or started before they were submitted.
        [(0, 9, 10, 0, 10), (1, 9, 10, 1, 10), (2, 1, 10, 1, 10), (3, 1, 10, 2, 10), (4, 1, 10, 5, 10)],
    ],
)
def test_without_starts_in_both_halves_there_is_nothing_to_compare(rows):
    tables = compare(log(rows), machine(2))
    assert {name: len(frame) for name, frame in tables.items()} == {"log_fidelity": 0, "queue_lengths": 0}


def test_a_machine_of_unknown_size_is_not_compared():
    assert len(compare(log(OF_FCFS), machine(None))["log_fidelity"]) == 0


def test_every_setting_is_another_scenario_and_has_a_name_of_its_own():
    assert len({setting.name for setting in SETTINGS}) == len(SETTINGS)
    assert len({tuple(sorted(setting.columns.items())) for setting in SETTINGS}) == len(SETTINGS)
    # What the log's own replay is: the study's, with memory that plays no part.
    assert callable(replay)


OAR = Path(os.environ.get("TRACE_DATA", Path(__file__).parents[4] / "shared" / "data")) / "validation"


@pytest.mark.skipif(not OAR.is_dir(), reason="the executions by OAR and Slurm are not here")
def test_the_page_has_the_errors_on_oar():
    executed = pl.read_csv(OAR / "oar_grid5000.csv.gz")
    waits = executed.group_by("run", "workload_seed").agg(wait_s=(pl.col("start_s") - pl.col("submit_s")).mean())
    waits = waits.with_columns(incident=pl.col("wait_s") > 3 * pl.col("wait_s").min().over("workload_seed"))
    assert waits.filter("incident")["wait_s"].round().sort().to_list() == [551, 810]
    runs = waits.filter(~pl.col("incident"), pl.col("wait_s") > 100)["run"].sort().to_list()
    assert len(runs) == 2
    jobs = executed.filter(pl.col("run").is_in(runs)).select(
        *(pl.col(name).cast(kind) for name, kind in JOB.items()),
        trace="run",
        job_id=pl.col("job_id").cast(pl.String),
        name=pl.lit(None, pl.String),
        position=pl.lit(None, pl.Int64),
    )
    table = compare(jobs, machine(32, *runs))["log_fidelity"]
    second = table.filter(pl.col("half") == "second", pl.col("measure") == "mean_wait_error")
    error = {setting: sorted(round(x, 2) for x in rows["value"]) for (setting,), rows in second.group_by("setting")}
    assert error["conservative_kept"] == [-0.04, -0.03]
    assert error["conservative"] == [-0.11, -0.07]
    assert error["easy"] == [-0.13, -0.11]
    assert error["fcfs"] == [4.34, 4.56]
    assert sorted(round(x, 2) for x in second.filter("closest")["value"]) == [0.31, 0.38]


@pytest.mark.parametrize(("most", "kept"), [(45, True), (44, False)])
def test_settings_that_keep_reservations_are_left_out_where_many_wait(monkeypatch, most, kept):
    # 5 jobs, of which under conservative backfilling 3 are in the queue when job 3 starts.
    monkeypatch.setattr(fidelity, "MOST_LOOKS", most)
    tables = compare(log(OF_FCFS), machine(2))
    settings = tables["log_fidelity"]["setting"].unique()
    keeping = {setting.name for setting in SETTINGS if setting.columns.get("reservations") == "kept"}
    assert keeping == {"depth_10_kept", "depth_50_kept", "conservative_kept"}
    assert set(settings) == {"measured", *(s.name for s in SETTINGS)} - (set() if kept else keeping)
    assert value(tables, "fcfs", "second", "mean_wait_error", "closest") is True
