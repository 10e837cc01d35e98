"""The probe's driver: what is planned, what becomes of samples, and what happens when the measuring program fails."""

import stat
from pathlib import Path

import polars as pl
import pytest
import yaml
from typer.testing import CliRunner

from probe import plan
from probe.__main__ import app
from probe.card import SimulatedCard


@pytest.fixture(scope="module")
def simulated(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("probe") / "simulated_probe"
    result = CliRunner().invoke(app, [str(folder), "--simulate", "--seed", "3"])
    assert result.exit_code == 0, result.output
    return folder


@pytest.mark.parametrize("sms", [2, 3, 16, 32, 33, 108, 132])
def test_counts_reach_from_one_sm_to_all_and_hold_the_splits(sms):
    counts = plan.counts(sms)
    assert counts[0] == 1
    assert counts[-1] == sms
    assert counts == sorted(set(counts))
    assert set(plan.splits(sms)) <= set(counts)
    assert len(counts) == sms if sms <= 32 else 15 <= len(counts) <= 30


def test_every_ordered_pair_is_measured_on_every_split_and_overlapping():
    lines = plan.lines(["a", "b"], 8, seed=1)
    assert len(lines) == len(set(lines))
    pairs = {(x.kernel, x.neighbour, x.purpose, x.sms) for x in lines if x.neighbour}
    wanted = {(a, b, plan.SPLIT, n) for a in "ab" for b in "ab" for n in (2, 4, 6)}
    assert pairs == wanted | {(a, b, plan.OVERLAP, 8) for a in "ab" for b in "ab"}


def test_a_neighbour_has_the_other_sms_or_half_of_the_places_on_all():
    places = {"a": 8, "b": 5}
    assert plan.text(plan.Line(plan.SPLIT, "a", 3, "b"), 8, places) == "a 0 3 1 0 b 3 8 0"
    assert plan.text(plan.Line(plan.OVERLAP, "a", 8, "b"), 8, places) == "a 0 8 1 4 b 0 8 2"
    assert plan.text(plan.Line(plan.TASK_SIZE, "b", 8, task_size=20), 8, places) == "b 0 8 20 0"


def test_a_card_of_one_sm_is_refused():
    with pytest.raises(ValueError, match="two or more can be shared"):
        plan.lines(["a"], 1, seed=1)


def test_tables_agree_with_each_other_and_with_every_measurement(simulated):
    curves = pl.read_csv(simulated / "sm_curve.csv")
    kernels = pl.read_csv(simulated / "kernels.csv")
    pairs = pl.read_csv(simulated / "corun_pairs.csv")
    measured = pl.read_csv(simulated / "measurements.csv.gz")
    count = kernels.height
    assert curves.filter(pl.col("beside").is_null()).height == count * len(plan.counts(SimulatedCard.SMS))
    assert pairs.height == count * (count + 1) // 2
    # Medians by polars from the list of all measurements.
    alone = measured.filter(pl.col("purpose") == plan.ALONE).group_by("kernel", "sms").agg(pl.col("time_s").median())
    joined = curves.filter(pl.col("beside").is_null()).join(alone, left_on=["app", "sms"], right_on=["kernel", "sms"])
    assert joined.height == count * len(plan.counts(SimulatedCard.SMS))
    assert ((joined["time_s"] / joined["time_s_right"] - 1).abs() < 1e-5).all()
    whole = alone.filter(pl.col("sms") == SimulatedCard.SMS)
    assert dict(kernels.select("kernel", "launch_s").iter_rows()) == pytest.approx(
        dict(whole.drop("sms").iter_rows()), 1e-5
    )
    assert ((pairs["corun_a_s"] / pairs["alone_a_s"] / pairs["slowdown_a"] - 1).abs() < 1e-4).all()


def test_simulated_kernels_obey_the_card_they_run_on(simulated):
    kernels = pl.read_csv(simulated / "kernels.csv")
    pairs = pl.read_csv(simulated / "corun_pairs.csv")
    noise = 1 + 4 * SimulatedCard.NOISE
    assert (kernels["memory_gbps"] * 1e9 <= SimulatedCard.BANDWIDTH * noise).all()
    ops = (kernels["gflops"] + kernels["integer_gops"]) * 1e9
    assert (ops <= SimulatedCard.OPS_PER_SM * SimulatedCard.SMS * noise).all()
    # Nothing is gained by a neighbour, and two of a kind that fill the card take twice as long.
    assert (pairs.select("slowdown_a", "slowdown_b").to_numpy() > 1 / noise).all()
    assert pairs.filter(pl.col("app_a") == pl.col("app_b"))["slowdown_a"].max() == pytest.approx(2, rel=0.05)


def test_the_same_seed_makes_the_same_bytes_and_another_does_not(simulated, tmp_path):
    for seed in ("3", "4"):
        assert CliRunner().invoke(app, [str(tmp_path / seed), "--simulate", "--seed", seed]).exit_code == 0
    for path in simulated.iterdir():
        assert (tmp_path / "3" / path.name).read_bytes() == path.read_bytes()
    assert (tmp_path / "4" / "sm_curve.csv").read_bytes() != (simulated / "sm_curve.csv").read_bytes()


def test_a_simulated_drop_says_so(simulated):
    settings = yaml.safe_load((simulated / "trace.yaml").read_text())
    assert settings["kind"] == "generated"
    assert "simulated, not measured" in settings["note"]


CARD = (
    '{"card": "Test card", "sms": 4, "compute_capability": "9.0", "memory_gb": 1.0, "l2_mb": 1.0, "cuda": "13.0", '
    '"built_for_cuda": "13.0", "kernels": {"a": {"blocks_of_sm": 4}, "b": {"blocks_of_sm": 8}}}'
)
TIME = """awk 'BEGIN {print "line,ms,sms_at_work,least_blocks,most_blocks"}
{sms = $3 - $2; ms = ($1 == "a" ? 8 : 4) / sms * ($6 == "" ? 1 : 1.5)
for (i = 0; i < 3; ++i) print NR - 1 "," ms "," sms ",1,1"}
'"""


def program(folder: Path, check: str = "printf 'kernel,verdict\\na,right\\nb,right\\n'", time: str = TIME) -> Path:
    """A stand-in that speaks as the measuring program: 8 ms on an SM for a, 4 for b, half more with a neighbour."""
    path = folder / "program"
    path.write_text(
        f"""#!/bin/sh
case "$1" in
card) echo '{CARD}' ;;
check) {check} ;;
work) printf 'kernel,tasks,flop,integer_ops,bytes\\na,10,2e9,0,1e9\\nb,20,0,3e9,2e9\\n' ;;
time) {time} ;;
esac
"""
    )
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def measure(folder: Path, made: Path, *more: str):
    return CliRunner().invoke(app, [str(folder), "--program", str(made), *more])


def test_what_the_program_times_becomes_a_measured_drop(tmp_path):
    target = tmp_path / "drop"
    result = measure(target, program(tmp_path))
    assert result.exit_code == 0, result.output
    curves = pl.read_csv(target / "sm_curve.csv")
    alone = curves.filter(pl.col("beside").is_null())
    expected = {("a", n): 8e-3 / n for n in (1, 2, 3, 4)} | {("b", n): 4e-3 / n for n in (1, 2, 3, 4)}
    assert {row[:2]: row[2] for row in alone.select("app", "sms", "time_s").iter_rows()} == pytest.approx(
        expected, 1e-5
    )
    assert set(curves.filter(app="a", beside="b")["time_s"].round(6)) == {0.012, 0.006, 0.004}
    kernels = {row["kernel"]: row for row in pl.read_csv(target / "kernels.csv").iter_rows(named=True)}
    assert kernels["a"]["gflops"] == pytest.approx(2 / 2e-3)
    assert kernels["b"]["memory_gbps"] == pytest.approx(2 / 1e-3)
    assert pl.read_csv(target / "corun_pairs.csv")["slowdown_a"].to_list() == pytest.approx([1.5] * 3)
    settings = yaml.safe_load((target / "trace.yaml").read_text())
    assert (settings["kind"], settings["sms"]) == ("measured", 4)
    assert "Test card" in settings["note"]


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ({"check": "printf 'kernel,verdict\\na,wrong\\nb,right\\n'; exit 1"}, "wrong results on this card: a"),
        ({"check": "echo 'probe: no GPU' >&2; exit 1"}, "probe: no GPU"),
        ({"time": "echo line,ms,sms_at_work; echo 'probe: the card is lost' >&2; exit 1"}, "the card is lost"),
        ({"time": "echo line,ms,sms_at_work"}, "measurements are missing"),
        ({"time": TIME.replace("sms = $3 - $2;", "sms = 1;")}, "SMs have worked on"),
    ],
)
def test_a_failure_is_one_sentence_and_leaves_nothing(tmp_path, broken, sentence):
    result = measure(tmp_path / "drop", program(tmp_path, **broken))
    assert result.exit_code == 1
    assert sentence in result.output
    assert "probe: probe:" not in result.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["program"]


def test_wrong_use_is_said(tmp_path):
    absent = measure(tmp_path / "drop", tmp_path / "nothing")
    unknown = measure(tmp_path / "drop", program(tmp_path), "--kernel", "c")
    there = measure(tmp_path, program(tmp_path))
    assert [result.exit_code for result in (absent, unknown, there)] == [2, 2, 2]
    assert "make probe" in absent.output
    assert "there are a, b" in unknown.output
    assert "is there already" in there.output
