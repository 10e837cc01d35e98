"""The benchmarks run, measure what they say, and compare equal schedules."""

import gzip
import math

import examples
import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bench import easy, environments, figures, plain_loop
from bench.__main__ import BENCHMARKS, app


@pytest.mark.slow
@pytest.mark.parametrize("name", examples.cases(BENCHMARKS, {*BENCHMARKS} - {"readers"}))
def test_every_benchmark_gives_figures_or_says_why_not(name, tmp_path, monkeypatch):
    # Environments cannot be made below a file, so that nothing is fetched from anywhere.
    (tmp_path / "file").touch()
    monkeypatch.setattr(environments, "FOLDER", tmp_path / "file")
    measured = list(BENCHMARKS[name](1, tmp_path, tiny=True))
    assert len({(figure.name, figure.unit) for figure in measured}) == len(measured)
    for figure in measured:
        assert all(map(math.isfinite, figure.values)), figure
        assert figure.values or "could not be installed" in figure.note
    if name == "easy":
        by_name = {figure.name: figure for figure in measured}
        assert by_name["same starts as plain loop"].values == [100]
        assert by_name["AccaSim"].values == []


@pytest.mark.parametrize(("processors", "load"), [(16, 0.5), (64, 0.9), (256, 1.5)])
@pytest.mark.parametrize("seed", range(3))
def test_plain_loop_and_kernel_make_the_same_schedule(processors, load, seed):
    kernel = easy.Kernel(easy.inputs_of(examples.log(seed, 2000, processors, load)), processors)
    kernel.run()
    arrays = kernel.jobs.model
    start_s = np.empty(2000)
    plain_loop.schedule(arrays.release_s, arrays.nodes, arrays.optimal_s, arrays.walltime_s, processors, start_s)
    assert (start_s > arrays.release_s).any()
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


def test_times_are_those_of_the_calls_after_the_first(monkeypatch):
    now_s, turns = [0.0], []

    def work(name, took_s):
        turns.append(name)
        now_s[0] += took_s

    monkeypatch.setattr(figures.time, "process_time", lambda: now_s[0])
    calls = {"long": lambda: work("long", 4.0), "short": lambda: work("short", 1.0)}
    assert figures.alternating(calls, 2) == {"long": [4.0, 4.0], "short": [1.0, 1.0]}
    assert turns == ["long", "short"] * 3


def test_a_table_has_medians_ranges_and_reasons():
    table = [figures.ratio("b", [2.0, 9.0], [1.0, 3.0], "two by one"), figures.Figure("c", [], "s", "not here")]
    name, ratio, absent = figures.text("x", table).splitlines()
    assert name == "x"
    assert ratio.split() == ["b", "2.5", "times", "2", "–", "3", "two", "by", "one"]
    assert absent.split() == ["c", "absent", "s", "not", "here"]


def test_command_names_the_benchmarks_there_are():
    done = CliRunner().invoke(app, ["--only", "esay"])
    assert done.exit_code == 2
    assert "'esay' is not a benchmark" in done.output
    assert "replays" in done.output
