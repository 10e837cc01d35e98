"""The gate on ratios: which sides are worse, what is absent, and that seconds never decide."""

import polars as pl
import pytest
from typer.testing import CliRunner

from bench import benchmarks, gate, results
from bench.__main__ import app


def ratios(*rows):
    return pl.DataFrame(rows, schema=gate.SCHEMA, orient="row")


def run(*figures, benchmark="easy"):
    return results.table(benchmark, list(figures))


def figure(name, *values, unit="times", note=""):
    return results.Figure(name, values, unit, note)


@pytest.mark.parametrize(
    ("better", "measured", "holds"),
    [("higher", 50, True), ("higher", 49, False), ("higher", 900, True),
     ("lower", 150, True), ("lower", 151, False), ("lower", 1, True)],
)  # fmt: skip
def test_a_ratio_may_be_worse_by_its_tolerance(better, measured, holds):
    verdict = gate.judge(run(figure("peer / ours", measured)), ratios(("easy", "peer / ours", 100.0, 0.5, better)))
    assert (verdict.held, len(verdict.worse)) == ((1, 0) if holds else (0, 1))


def test_the_sentence_says_what_was_wanted():
    frame = run(figure("peer / ours", 10.0, 30.0, 20.0), figure("other / ours", 5.0))
    wanted = ratios(("easy", "peer / ours", 100.0, 0.5, "higher"), ("easy", "other / ours", 5.0, 0.0, "higher"))
    verdict = gate.judge(frame, wanted)
    assert verdict.text().splitlines() == [
        "easy, peer / ours: 20 times, at least 50 wanted (100 committed, 50% tolerance)",
        "1 of 2 ratios hold, 0 were not measured",
    ]


@pytest.mark.parametrize(
    ("absent", "ratio"), [("AccaSim", "AccaSim / ours, simulation"), ("share, pandas, CPU", "share, pandas / join")]
)
def test_an_absent_peer_is_said_and_does_not_fail(absent, ratio):
    frame = run(figure(absent, unit="s", note="could not be installed: no network"))
    verdict = gate.judge(frame, ratios(("easy", ratio, 500.0, 0.5, "higher")))
    assert verdict.worse == []
    assert verdict.absent == [f"easy, {ratio}: not measured, could not be installed: no network"]


def test_benchmarks_that_were_not_run_are_passed_over():
    verdict = gate.judge(run(figure("a / b", 1.0)), ratios(("month", "join / pyarrow", 2.0, 0.5, "lower")))
    assert verdict == gate.Verdict([], [], 0)


def test_a_ratio_that_no_benchmark_gives_is_an_error_and_seconds_are_no_ratio():
    frame = run(figure("kernel / plain loop", 3.0), figure("kernel", 3.0, unit="ms"))
    with pytest.raises(ValueError, match=r"no ratio 'kernel / plain lop' in easy; did you mean 'kernel / plain loop'"):
        gate.judge(frame, ratios(("easy", "kernel / plain lop", 3.0, 0.5, "lower")))
    with pytest.raises(ValueError, match=r"no ratio 'kernel' in easy"):
        gate.judge(frame, ratios(("easy", "kernel", 3.0, 0.5, "lower")))


def test_renewing_keeps_tolerances_and_what_was_not_measured():
    before = ratios(("easy", "a / b", 3.0, 0.4, "lower"), ("month", "c / d", 2.0, 0.1, "higher"))
    after = gate.renewed(run(figure("a / b", 3.456)), before)
    assert after.rows() == [("easy", "a / b", 3.46, 0.4, "lower"), ("month", "c / d", 2.0, 0.1, "higher")]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("easy,a / b,3,0.5,hgher", r"line 2, a / b: better is 'hgher'; did you mean 'higher'"),
        ("easy,a / b,0,0.5,higher", r"line 2, a / b: the ratio must be above 0"),
        ("easy,a / b,3,,higher", r"its tolerance a share from 0 to below 1"),
        ("easy,a / b,3,0.5,lower\neasy,a / b,3,0.5,lower", r"a / b of easy is there more than once"),
    ],
)
def test_a_row_that_makes_no_sense_is_named(tmp_path, line, said):
    path = tmp_path / "ratios.csv"
    path.write_text(f"{','.join(gate.SCHEMA)}\n{line}\n")
    with pytest.raises(ValueError, match=said):
        gate.load(path)


def test_committed_ratios_are_of_benchmarks_that_there_are():
    committed = gate.load(gate.RATIOS)
    assert len(committed) >= 10
    assert set(committed["benchmark"]) <= set(benchmarks.found())


def test_the_command_fails_where_a_ratio_is_worse(tmp_path, monkeypatch):
    monkeypatch.setattr(benchmarks, "found", lambda: {"easy": Fixed})
    path = tmp_path / "ratios.csv"
    ratios(("easy", "peer / ours", 100.0, 0.5, "higher")).write_csv(path)
    command = ["--output", str(tmp_path / "out.parquet"), "--against", str(path)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert "at least 50 wanted" in done.output
    assert CliRunner().invoke(app, [*command, "--renew"]).exit_code == 0
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0
    assert "1 of 1 ratios hold" in done.output
    assert CliRunner().invoke(app, ["--renew"]).exit_code == 2


class Fixed:
    """A benchmark with one ratio."""

    @staticmethod
    def run(settings):
        yield figure("peer / ours", 40.0)
