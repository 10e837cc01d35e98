"""What the claims' queries on gpu_corun make of results that are made up, so that their answers are known."""

import duckdb
import polars as pl
import pytest

from pipeline.claims import evaluate
from pipeline.claims.evaluate import INPUT, NOT_DERIVABLE, NOT_REPRODUCED, REPRODUCED
from pipeline.runtime import sources
from pipeline.warehouse import definitions
from tests.claims.worlds.gpu_corun import MACHINES, PRINTED, curves, runs_of

FOLDER = sources.PACKAGE / "studies" / "gpu_corun" / "claims"


def judged(runs: list[dict], claim: str) -> tuple[dict, dict[str, dict]]:
    """The claim's row of the ledger and its parts, on made-up rows of gpu_corun_result."""
    connection = duckdb.connect()
    connection.register("made_up", pl.DataFrame(runs).to_arrow())
    connection.execute("CREATE TABLE gpu_corun_result AS FROM made_up")
    connection.execute(definitions.found("gpu_corun_claim")[-1].read_text())
    path = FOLDER / f"{claim}.sql"
    header, sql = evaluate.read(path)
    row, parts = evaluate._judge(path, header.model_copy(update={"evidence": None}), sql, connection)
    return row, {part["part"]: part for part in parts}


def test_robustness_is_the_share_of_machines_with_a_split_and_default_is_the_equal_split():
    """In two of six machines nothing is gained, and by 'best' never anything: 4 of 6 in two of three splits."""
    row, _ = judged(runs_of(lambda pair, machine, draw, split: 0.11 * (machine >= 2) * (split != "best")), "S2")
    assert row["robustness"] == pytest.approx(4 / 6 * 2 / 3)
    assert row["value"] == pytest.approx(0.11 * 4 / 6)
    assert row["replicates"] == MACHINES


def test_a_mean_over_fewer_pairs_is_not_judged():
    runs = [run for run in runs_of() if run["pair"] != "TR-TR"]
    for claim in ("S2", "S3", "S5", "S7", "S13", "S15"):
        assert judged(runs, claim)[0]["verdict"] == NOT_DERIVABLE


def test_the_best_pair_may_be_another():
    row, parts = judged(runs_of(lambda pair, *_: 0.4 if pair == "BS-RG" else PRINTED.get(pair, 0.1)), "S5")
    assert parts["gain of RG-GS"]["verdict"] == REPRODUCED
    assert parts["RG-GS is the best pair"]["value"] == 0
    assert row["verdict"] == NOT_REPRODUCED  # the claim's own sentence does not hold


def test_mm_bs_has_to_be_behind_alone():
    row, parts = judged(runs_of(lambda pair, *_: -0.05 if pair == "BS-BS" else PRINTED.get(pair, 0.1)), "S7")
    assert parts["gain of MM-BS"]["verdict"] == REPRODUCED
    assert parts["MM-BS is behind and no other pair is"]["value"] == 0
    assert row["verdict"] == NOT_REPRODUCED
    _, parts = judged(runs_of(lambda pair, *_: -0.05 if pair == "BS-BS" else PRINTED.get(pair, 0.1)), "S15")
    assert [part["value"] for part in parts.values()] == [1, 0]


def test_all_pairs_are_each_of_them():
    _, parts = judged(
        runs_of(lambda pair, machine, draw, split: -0.2 if (pair, machine) == ("TR-TR", 4) else 0.1), "S15"
    )
    assert parts["CUDA on all"]["value"] == pytest.approx(5 / 6)
    assert parts["CUDA on all"]["verdict"] == NOT_REPRODUCED


@pytest.mark.parametrize(("gain", "value"), [(0.101, 1), (0.099, 0)])
def test_pairs_side_by_side_gain_a_tenth(gain, value):
    row, _ = judged(runs_of(lambda pair, *_: gain if pair == "MM-RG" else 0.2), "S13")
    assert row["value"] == value
    assert judged(runs_of(lambda pair, *_: 0.0 if "RG" not in pair else 0.2), "S13")[0]["value"] == 1


def test_pairs_side_by_side_are_looked_at_draw_by_draw_and_not_in_the_mean():
    row, _ = judged(runs_of(lambda pair, machine, draw, split: 0.05 if (pair, draw) == ("MM-RG", 2) else 0.3), "S13")
    assert (row["value"], row["replicates"], row["verdict"]) == (pytest.approx(5 / 6), MACHINES * 6, NOT_REPRODUCED)


@pytest.mark.parametrize(("alone", "never"), [(0.005, 1), (-0.03, 0), (0.1, 1)])
def test_one_application_alone(alone, never):
    row, _ = judged(runs_of(alone=lambda kernel: alone if kernel == "BS" else 0.1, mps_alone=-0.005), "S12")
    assert row["value"] == never


@pytest.mark.parametrize(("kind", "verdict"), [("measured", REPRODUCED), ("generated", NOT_DERIVABLE)])
def test_saturation_is_judged_on_measured_streams_only(kind, verdict):
    connection = duckdb.connect()
    for name, rows in curves(9, kind).items():
        connection.register("made_up", pl.DataFrame(rows, infer_schema_length=None).to_arrow())
        connection.execute(f"CREATE TABLE {name} AS FROM made_up")
    connection.execute(definitions.found("fig_gpu_corun_1")[-1].read_text())
    path = FOLDER / "S11.sql"
    row, _ = evaluate._judge(path, *evaluate.read(path), connection)
    assert row["verdict"] == verdict
    assert row["value"] == (pytest.approx(0.3) if kind == "measured" else None)


@pytest.mark.parametrize("claim", ["S1", "S4", "S8", "S10", "S14"])
def test_inputs_are_marked_as_such(claim):
    path = FOLDER / f"{claim}.sql"
    row, _ = evaluate._judge(path, *evaluate.read(path), duckdb.connect())
    assert (row["verdict"], row["value"]) == (INPUT, None)
