"""The benchmarks run, measure what they say, and hold equal schedules against each other."""

import gzip
import math
import sys
import time

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bench import benchmarks, logs, results
from bench.__main__ import app
from bench.kernel import Kernel, deepest_queue
from bench.measure import ChildFailed, alternating, child, seconds
from bench.peers import join, plain_loop, same_starts
from bench.settings import Settings
from pipeline import synthetic


@pytest.fixture
def settings(tmp_path):
    """One run of a few jobs; the peers' environments cannot be made, so that nothing is fetched from anywhere."""
    (tmp_path / "file").touch()
    return Settings(1, tmp_path / "scratch", environments=tmp_path / "file", tiny=True)


def log_of(*jobs):
    columns = ["job_id", "submit_s", "nodes", "walltime_s", "runtime_s"]
    return pl.DataFrame(jobs, schema=columns, orient="row").with_columns(user=pl.lit(1))


@pytest.mark.slow
@pytest.mark.parametrize("name", benchmarks.found())
def test_every_benchmark_gives_figures_or_says_why_not(name, settings):
    frame = results.table(name, list(benchmarks.found()[name].run(settings)))
    assert dict(frame.schema) == results.SCHEMA
    assert not frame.select("figure", "unit").is_duplicated().any()
    for row in frame.iter_rows(named=True):
        if row["runs"]:
            assert math.isfinite(row["value"]), row
            assert row["min"] <= row["value"] <= row["max"], row
        else:
            assert (row["value"], row["min"], row["max"]) == (None, None, None)
            assert row["note"], row
    text = results.text(frame)
    assert len(text.splitlines()) == len(frame) + 1
    if name == "easy":
        values = {(row["figure"], row["unit"]): row for row in frame.iter_rows(named=True)}
        assert values["same starts as plain loop", "%"]["value"] == 100
        assert "could not be installed" in values["AccaSim", "s"]["note"]
    if name == "month":
        values = {row["figure"]: row for row in frame.iter_rows(named=True)}
        assert values["share, polars, same phases as ours"]["value"] == 100
        assert "could not be installed" in values["share, pandas, CPU"]["note"]


@pytest.mark.parametrize(("processors", "load"), [(16, 0.5), (64, 0.9), (256, 1.5)])
@pytest.mark.parametrize("seed", range(3))
def test_plain_loop_and_kernel_make_the_same_schedule(processors, load, seed):
    kernel = Kernel(logs.inputs(synthetic.lublin_jobs(seed, 2000, processors, load)), "unlimited", processors)
    kernel.run()
    arrays = kernel.jobs.model
    start_s = np.empty(2000)
    plain_loop.schedule(arrays.release_s, arrays.nodes, arrays.optimal_s, arrays.walltime_s, processors, start_s)
    assert deepest_queue(arrays.release_s, start_s) > 0
    np.testing.assert_array_equal(start_s, kernel.start_s)


@pytest.mark.real
@pytest.mark.parametrize(("name", "processors"), [("kth10k", 100), ("lublin10k", 256)])
def test_plain_loop_makes_the_reference_schedule(trace_data, name, processors):
    folder = trace_data / "hpc" / "easy_reference"
    with gzip.open(folder / f"{name}.swf.gz", "rt") as lines:
        rows = np.array([line.split()[:9] for line in lines if not line.startswith(";")], dtype=np.float64)
    job, submit_s, runtime_s, nodes, walltime_s = (np.ascontiguousarray(rows[:, k]) for k in (0, 1, 3, 4, 8))
    start_s = np.empty(len(rows))
    plain_loop.schedule(submit_s, nodes.astype(np.int64), runtime_s, walltime_s, processors, start_s)
    reference = pl.read_csv(folder / f"{name}.per_instant.csv.gz").sort("job")
    np.testing.assert_array_equal(start_s[np.argsort(job)], reference["start"].to_numpy())


def test_deepest_queue_counts_jobs_that_a_pass_leaves_waiting():
    # Three are submitted at 0 while one more starts at once; they start at 2, 4 and 4, a fourth waits from 3 to 5.
    release_s, start_s = np.array([0, 0, 0, 0, 3.0]), np.array([0, 2, 4, 4, 5.0])
    assert deepest_queue(release_s, start_s) == 3
    assert deepest_queue(release_s, release_s) == 0


def test_instants_are_releases_starts_and_ends():
    kernel = Kernel(logs.inputs(log_of((1, 0, 1, 20, 10), (2, 5, 1, 20, 10), (3, 5, 1, 20, 5))), "unlimited", 4)
    assert kernel.instants() == 4  # 0, 5, 10 and 15


@pytest.mark.slow
def test_peak_memory_of_a_child_is_its_own():
    """Not the parent's, which fork hands on, and not that of other children."""
    ballast = np.ones(60_000_000)
    large = child([sys.executable, "-c", "x = bytearray(300_000_000); x[::4096] = x[::4096]"])
    small = child([sys.executable, "-c", "print('small')"])
    assert ballast.nbytes == 480_000_000
    assert 0.3 < large.peak_gb < 0.4
    assert small.peak_gb < 0.1
    assert small.output == "small\n"


def test_a_child_that_fails_gives_its_last_words():
    with pytest.raises(ChildFailed, match=r"-c 1 / 0 … ended with code 1: ZeroDivisionError: division by zero"):
        child([sys.executable, "-c", "1 / 0"])
    with pytest.raises(ChildFailed, match=r"/no/such/program could not be started"):
        child(["/no/such/program"])


@pytest.mark.slow
def test_a_child_that_takes_too_long_is_stopped_with_all_it_started(tmp_path):
    mark = tmp_path / "alive"
    grandchild = f"import pathlib, time; time.sleep(2); pathlib.Path({str(mark)!r}).touch()"
    with pytest.raises(TimeoutError, match=r"was stopped after 0\.5 s"):
        child(
            [sys.executable, "-c", f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}])"],
            timeout_s=0.5,
        )
    time.sleep(2.5)
    assert not mark.exists()


def test_times_are_those_of_the_calls_after_the_first():
    now_s = [0.0]
    turns = []

    def work(name, took_s):
        turns.append(name)
        now_s[0] += took_s

    calls = {"long": lambda: work("long", 4.0), "short": lambda: work("short", 1.0)}
    assert alternating(calls, 2, lambda: now_s[0]) == {"long": [4.0, 4.0], "short": [1.0, 1.0]}
    assert turns == ["long", "short"] * 3
    assert len(seconds(lambda: None, 3)) == 3


def test_same_phases_is_a_share_of_all_in_either_table():
    columns = ["slot", "phase", "duration_s", "memory_gb"]
    ours = pl.DataFrame([(0, 0, 40.0, 3.0), (0, 1, 80.0, 5.0), (7, 0, 1.0, 2.0)], schema=columns, orient="row")
    theirs = pl.DataFrame([(0, 0, 40.0, 3.0), (0, 1, 80.0, 5.5), (8, 0, 1.0, 2.0)], schema=columns, orient="row")
    assert join.same_phases(ours, ours.reverse()) == 1
    assert join.same_phases(ours, theirs) == 1 / 4
    assert join.same_phases(ours, ours.with_columns(pl.col("duration_s") + 1)) == 0


def test_same_starts_is_a_share_of_our_jobs():
    schedule = pl.DataFrame({"job_id": [3, 1, 2], "start_s": [7.0, 0.0, 5.0]})
    assert same_starts(schedule, pl.Series([1, 2, 3, 4]), np.array([0.0, 5.0, 8.0, 9.0])) == 0.5


def test_command_prints_and_writes_the_table(tmp_path):
    output = tmp_path / "out" / "bench.parquet"
    done = CliRunner().invoke(app, ["--tiny", "--runs", "2", "--only", "replays", "--output", str(output)])
    assert done.exit_code == 0, done.output
    frame = pl.read_parquet(output)
    assert dict(frame.schema) == results.SCHEMA
    assert set(frame["benchmark"]) == {"replays"}
    assert frame["figure"][0] == "load"
    assert frame.filter(figure="pim_graph, exponent")["runs"].to_list() == [1]
    assert results.text(frame) in done.output
    assert [path.name for path in output.parent.iterdir()] == ["bench.parquet"]


def test_command_names_the_benchmarks_there_are():
    done = CliRunner().invoke(app, ["--only", "esay"])
    assert done.exit_code == 2
    assert "'esay' is not a benchmark" in done.output
    assert "replays" in done.output


def test_table_has_medians_and_ranges():
    figures = [results.Figure("a", [3.0, 1.0, 20.0], "s"), results.quotients("b", [2.0, 9.0], [1.0, 3.0], "two by one")]
    frame = results.table("x", [*figures, results.Figure("c", [], "s", "not here")])
    assert frame.rows() == [
        ("x", "a", 3.0, 1.0, 20.0, "s", 3, ""),
        ("x", "b", 2.5, 2.0, 3.0, "times", 2, "two by one"),
        ("x", "c", None, None, None, "s", 0, "not here"),
    ]
    assert "absent" in results.text(frame).splitlines()[-1]
