"""What the queries of claims F1 to F7 make of results that are made up, so that their answers are known."""

import duckdb
import polars as pl
import pytest

from pipeline.claims import evaluate
from pipeline.claims.evaluate import IN_PART, NOT_DERIVABLE, NOT_REPRODUCED, REPRODUCED
from pipeline.runtime import sources
from tests.claims.worlds.gpu_sharing import POLICIES, cells, paths

FOLDER = sources.PACKAGE / "studies" / "gpu_sharing" / "claims"


def judged(claim: str, **views: list[dict]) -> tuple[dict, dict[str, dict]]:
    """The claim's row of the ledger and its parts, with the views made up."""
    connection = duckdb.connect()
    for name, rows in views.items():
        connection.register("made_up", pl.DataFrame(rows, infer_schema_length=None).to_arrow())
        connection.execute(f"CREATE TABLE {name} AS FROM made_up")
    path = FOLDER / f"{claim}.sql"
    header, sql = evaluate.read(path)
    row, parts = evaluate._judge(path, header.model_copy(update={"evidence": None}), sql, connection)
    return row, {part["part"]: part for part in parts}


def test_each_cell_of_table_6_counts_once_for_its_policy():
    wrong = {("mix0", "equal_speedup")}
    row, parts = judged("F1", fig_gpu_sharing_table_6=cells(lambda m, p: (m, p) not in wrong, lambda m, p: 0.0))
    assert parts["equal_speedup"]["value"] == pytest.approx(6 / 7)
    assert parts["equal_speedup"]["verdict"] == NOT_REPRODUCED
    assert {parts[p]["value"] for p in POLICIES if p != "equal_speedup"} == {1.0}
    assert (row["verdict"], row["value"], row["replicates"]) == (IN_PART, 0.8, 7)


def test_a_system_speedup_is_met_to_0_015_on_either_side():
    off = {"equal_compute": 0.0149, "equal_throughput": -0.0149, "equal_speedup": 0.016, "max_fair_throughput": -0.016}
    _, parts = judged("F2", fig_gpu_sharing_table_6=cells(lambda m, p: False, lambda m, p: off.get(p, 0.0)))
    assert {p: part["value"] for p, part in parts.items()} == {
        "equal_compute": 1, "equal_throughput": 1, "equal_speedup": 0, "max_fair_throughput": 0, "max_throughput": 1,
    }  # fmt: skip


def test_least_speedups_of_the_ensemble_are_asked_policy_by_policy():
    least = {"max_throughput": 0.4, "equal_speedup": 0.98, "max_fair_throughput": 0.2}
    rows = [
        {"source": s, "member": m, "interpolation": "linear", "sms": 16, "policy": p, "least_speedup": v}
        for s in ("ensemble", "a trace") for m in range(20) for p, v in least.items()
    ]  # fmt: skip
    row, parts = judged("F3", fig_gpu_sharing_15=rows)
    assert {name: part["value"] for name, part in parts.items()} == {
        "max throughput slows the least sped-up": 1, "equal speed-up keeps it at 1": 0}  # fmt: skip
    assert (row["verdict"], row["replicates"]) == (IN_PART, 20)


def test_pairs_in_two_passes_and_members_as_settings():
    rows = [
        {"trace_id": None if m is not None else "thesis_table_6", "member": m, "mix": f"p{i}", "policy": p,
         "family": "mixes/thesis_table_6" if m is None else f"mixes/ensemble/{m}", "interpolation": "linear",
         "applications": 2, "sms": 16, "gamma": 0.0, "initial": "equal", "found_in_two": m != 1}
        for m in (None, 0, 1) for i in range(21) for p in POLICIES
    ]  # fmt: skip
    row, parts = judged("F4", gpu_sharing_dynamic=rows)
    assert set(parts) == {"equal_throughput", "equal_speedup", "max_fair_throughput"}
    assert row["verdict"] == REPRODUCED
    assert row["robustness"] == pytest.approx(2 / 3)


def test_every_printed_number_of_sms_counts_and_so_does_a_round_too_many():
    rows = [
        {"part": "a", "interpolation": "linear", "round": r, "app": app, "sms": sms, "printed_sms": printed}
        for r, app, sms, printed in [
            (0, "AES", 8, 8), (0, "RAY", 8, 8), (1, "AES", 5, 5), (1, "RAY", 11, 11), (2, "AES", 4, None),
            (2, "RAY", None, 12),
        ]
    ]  # fmt: skip
    row, _ = judged("F5", fig_gpu_sharing_17=rows)
    assert (row["value"], row["replicates"]) == (pytest.approx(4 / 6), 6)


def test_profiles_and_brute_force_are_compared_pair_by_pair():
    rows = [
        {"family": f"f{m}", "mix": f"p{i}", "member": m, "sms": 16, "interpolation": "linear", "gamma": g,
         "scheduler": "equal_speedup", "decide_by": how, "dynamic": False, "applications": 2,
         "split": [9, 7] if how == "profile" and g == 0.02 and i == 0 else [8, 8]}
        for m in range(6) for i in range(4) for g in (0.002, 0.02) for how in ("measured", "profile")
    ]  # fmt: skip
    row, _ = judged("F6", gpu_sharing_result=rows)
    assert (row["value"], row["verdict"], row["replicates"]) == (1.0, REPRODUCED, 24)
    assert "gamma 0.02: 0.75" in row["settings"]
    assert row["robustness"] == 0.5


def test_cycles_follow_from_when_sms_change_hands_and_what_they_make_faster():
    """AES runs 1.43 times as fast at 8 as at 5 SMs for 50K cycles: 0.43 * 50K / 5 % = 430K; RAY is nearer."""
    speeds = {("AES", 8): 1.43, ("RAY", 8): 0.9, ("ID", 8): 1.25, ("ID", 10): 1.5, ("JPEG", 8): 0.9}
    rows = paths(False, lambda part, app, sms: 2.0 * speeds.get((app, sms), 1.0))
    row, parts = judged("F7", fig_gpu_sharing_17=rows)
    assert parts["AES and RAY"]["value"] == pytest.approx(430_000)
    assert parts["JPEG and ID"]["value"] == pytest.approx((0.25 * 24_000 + 0.5 * 11_000) / 0.05)
    assert (row["verdict"], row["replicates"]) == (IN_PART, 1)
    assert judged("F7", fig_gpu_sharing_17=paths(True, lambda *_: 1.0))[0]["verdict"] == NOT_DERIVABLE
