"""What the claims' queries on Chapters 4 and 5 make of results that are made up, so that their answers are known."""

import itertools

import duckdb
import polars as pl
import pytest

from pipeline.claims import evaluate
from pipeline.claims.evaluate import IN_PART, INPUT, NOT_DERIVABLE, NOT_REPRODUCED, REPRODUCED
from pipeline.runtime import sources
from pipeline.warehouse import definitions
from tests.claims.worlds.gpu_sharing import MEMBERS, VARIATION_VIEWS, convergence, qos, table, variation

FOLDER = sources.PACKAGE / "studies" / "gpu_sharing" / "claims"


def judged(claim: str, tables: dict[str, pl.DataFrame], views: tuple[str, ...] = ()) -> tuple[dict, dict[str, dict]]:
    """The claim's row of the ledger and its parts, on made-up tables in the place of views."""
    with duckdb.connect() as connection:
        for name, frame in tables.items():
            connection.register("made_up", frame.to_arrow())
            connection.execute(f"CREATE TABLE {name} AS FROM made_up")
            connection.unregister("made_up")
        for view in views:
            connection.execute(definitions.found(f"{view}")[-1].read_text())
        path = FOLDER / f"{claim}.sql"
        header, sql = evaluate.read(path)
        row, parts = evaluate._judge(path, header.model_copy(update={"evidence": None}), sql, connection)
    return row, {part["part"]: part for part in parts}


@pytest.mark.parametrize("claim", ["Q6", "V7"])
def test_what_was_put_in_is_no_result(claim):
    assert judged(claim, {})[0]["verdict"] == INPUT


@pytest.mark.parametrize(("path", "verdict"), [([30, 12, 9], REPRODUCED), ([30, 12, 10, 9], NOT_REPRODUCED)])
def test_the_path_is_compared_as_a_whole(path, verdict):
    row, _ = judged("Q1", convergence(path))
    assert (row["verdict"], row["replicates"]) == (verdict, len(MEMBERS))
    assert "bend below 8" in row["settings"] and "bend above 16" in row["settings"]


def test_gains_of_20_per_cent_are_asked_of_each_application_and_setting():
    rows = []
    for member, (app, gain) in itertools.product(
        MEMBERS, {"Fractals": 1.5, "ID": 1.19, "RAY": 1.2, "DVC": 0.5}.items()
    ):
        its = {"member": member, "mix": f"SHA1+{app}", "kind": "qos_best_effort", "best_effort_app": app}
        rows += [
            qos(**its, best_effort_gain=gain),
            qos(**its, best_effort_gain=2.0, gamma=0.0),
            qos(**its, best_effort_gain=1.0, scheduler="dynamic_linear"),
            qos(**its, best_effort_gain=1.0, decide_by="profile"),
        ]
    row, parts = judged("Q2", {"gpu_sharing_qos": table(rows)})
    verdicts = {name: part["verdict"] for name, part in parts.items()}
    assert verdicts == {"Fractals": REPRODUCED, "ID": NOT_REPRODUCED, "RAY": REPRODUCED}
    assert (row["verdict"], row["value"]) == (IN_PART, pytest.approx(2 / 3))
    assert row["robustness"] == pytest.approx(1 / 3)  # of default, without contention and dynamic


def test_convergence_is_to_as_few_sms_as_the_fewest_with_targets_met():
    rows = []
    for member, kind in itertools.product(MEMBERS, ("one_qos", "two_qos", "qos_best_effort")):
        its = {"member": member, "kind": kind, "mix": kind, "scheduler": "dynamic_linear", "qos_level": 80}
        rows += [
            qos(**its, qos_sms=12 if kind == "two_qos" else 11),
            qos(**its, midpoint=False, qos_met=0.5 if kind == "qos_best_effort" else 1.0),
            qos(**its | {"qos_level": 100}, least_sms=None),
            qos(**its, start="all", qos_sms=30),
        ]
    row, parts = judged("Q4", {"gpu_sharing_qos": table(rows)})
    assert [part["value"] for part in parts.values()] == [1.0, 0.0, 1.0]
    assert row["verdict"] == IN_PART  # two of three; what is said of all mixes is held by all or not at all
    assert parts["two QoS applications"]["lo"] is None
    assert "100 %: 0 not reproduced" in row["settings"]
    assert "without mid-point: 0.6667" in row["settings"]


def test_spare_sms_of_two_are_counted_by_level():
    rows = [
        qos(member=member, mix="JPEG-D+SHA1", kind="two_qos", qos_sms=sms, qos_level=level, gamma=gamma)
        for member in MEMBERS for level, sms, gamma in ((100, 20, 1.0), (80, 15, 1.0), (100, 19, 0.0))
    ]  # fmt: skip
    row, _ = judged("Q5", {"gpu_sharing_qos": table(rows)})
    assert (row["value"], row["verdict"]) == (10, REPRODUCED)  # 11 within ten per cent
    assert "80 %: 15" in row["settings"] and "without contention: 11" in row["settings"]


def test_two_copies_are_counted_each():
    its = {"mix": "JPEG-D+JPEG-D", "kind": "two_qos", "scheduler": "dynamic_linear", "qos_level": 80}
    rows = [qos(member=member, qos_sms=25, **its) for member in MEMBERS]
    assert judged("Q7", {"gpu_sharing_qos": table(rows)})[0]["value"] == 12.5


def test_savings_and_gains_are_means_over_all_the_pairs():
    rows = []
    for member in MEMBERS:
        rows += [
            qos(member=member, mix=f"pair {i}", kind="two_qos", spare="gated", saved_w=2.0 * i) for i in range(1, 7)
        ]
        rows += [
            qos(member=member, mix=f"pair {i}", kind="qos_best_effort", best_effort_gain=1.3 if i % 2 else 1 / 1.3)
            for i in range(14)
        ]
    row, parts = judged("Q8", {"gpu_sharing_qos": table(rows)})
    assert row["verdict"] == NOT_DERIVABLE
    assert parts["power saved (W)"]["value"] == 7.0
    assert parts["power saved (W)"]["verdict"] == REPRODUCED
    assert parts["gain of best-effort throughput"]["verdict"] == NOT_DERIVABLE  # one of the 15 pairs is missing


def on_variation(claim: str, frame: pl.DataFrame) -> tuple[dict, dict[str, dict]]:
    return judged(claim, {"gpu_sharing_variation": frame}, VARIATION_VIEWS)


def test_means_over_pairs_are_geometric_and_members_are_settings():
    def speedup(mix, scheduler, clocking, assignment, member, i):
        # Twice and half cancel out over the 20 pairs of both classes only in a geometric mean.
        spread = 2.0 if mix.startswith(("AES-E+B", "ID+B")) else 0.5 if mix.startswith(("RAY+B", "SAD+B")) else 1.0
        base = {"even_split": 1.36, "profile": 1.46}[scheduler]
        return spread * (1.0 if clocking == "global" else base if member != MEMBERS[0] else 1.0)

    row, parts = on_variation("V2", variation(speedup))
    assert row["robustness"] == pytest.approx(7 / 8)
    assert parts["Even-Split"]["value"] == pytest.approx(7 * 0.36 / 8)


def test_other_readings_of_the_clock_count_for_robustness_and_not_for_the_value():
    def speedup(mix, scheduler, clocking, assignment, member, i):
        return 1.0 if clocking == "global" else {"even_split": 1.36, "profile": 1.46}[scheduler]

    frame = variation(speedup)
    left = frame.filter(clocking="per_sm").with_columns(
        pl.lit("memory controllers left").alias("reading"), speedup=1 + 3 * (pl.col("speedup") - 1)
    )
    row, parts = on_variation("V2", pl.concat([frame, left]))
    assert parts["Even-Split"]["value"] == pytest.approx(0.36)
    assert row["robustness"] == 0.5  # each member in both readings
    assert row["most_moved_by"] == "memory controllers left: 0 not reproduced"


def test_pairs_over_a_global_clock_and_over_cooperative():
    def speedup(mix, scheduler, clocking, assignment, member, i):
        of_clock = {("per_sm", "cfms"): 1.19, ("per_sm", "csmf"): 1.1}.get((clocking, assignment), 1.0)
        return of_clock * {"even_split": 1.1, "profile": 1.2}[scheduler]

    frame = variation(speedup)
    _, parts = on_variation("V1", frame)
    assert [part["value"] for part in parts.values()] == pytest.approx([0.19, 0.19])
    _, parts = on_variation("V6", frame)
    assert {name: part["value"] for name, part in parts.items()} == pytest.approx(
        {"all pairs, Even-Split": 1.19 * 1.1 - 1, "all pairs, Profile": 1.19 * 1.2 - 1, "Table 3, CSMF": 1.32,
         "Table 3, CFMS": 1.19 * 1.2}
    )  # fmt: skip


def test_a_missing_pair_is_not_passed_over():
    frame = variation(lambda *_: 1.4).filter(pl.col("mix") != "ID+NN")
    assert on_variation("V1", frame)[0]["verdict"] == NOT_DERIVABLE
    assert on_variation("V3", frame)[0]["verdict"] == NOT_DERIVABLE  # though its second part is on pairs of one class


def test_cfms_against_csmf():
    def speedup(mix, scheduler, clocking, assignment, member, i):
        if assignment != "cfms":
            return 1.3
        if mix in ("AES-E+ID", "RAY+SAD", "BPR+NN", "JPEG-D+DVC", "DVC+SHA1"):
            return 1.31
        return 1.45 if "NN" in mix else 1.36

    frame = variation(speedup)
    row, _ = on_variation("V3", frame)
    assert (row["verdict"], row["robustness"]) == (REPRODUCED, 1.0)
    _, parts = on_variation("V4", frame)
    assert all(part["verdict"] == REPRODUCED for part in parts.values())
    worse = frame.with_columns(
        speedup=pl.when(mix="SAD+SHA1", assignment="cfms").then(1.2).otherwise("speedup")
    )  # fmt: skip
    _, parts = on_variation("V3", worse)
    assert parts["CFMS never worse"]["value"] == 0
    assert parts["negligible within a class"]["value"] == 1


def test_three_applications():
    def speedup(mix, scheduler, clocking, assignment, member, i):
        of_clock = 1.0 if clocking == "global" else 1.19
        behind = scheduler == "profile" and mix == "AES-E+ID+NN" and member != MEMBERS[0]
        return of_clock * (1.1 if behind else 1.2)

    row, parts = on_variation("V5", variation(speedup, 3))
    assert parts["Profile over a global clock"]["value"] == pytest.approx(0.19)
    assert parts["Even-Split over cooperative"]["value"] == pytest.approx(0.428)
    assert parts["Profile below Even-Split somewhere"]["value"] == pytest.approx(7 / 8)
    assert row["verdict"] == REPRODUCED
    assert row["robustness"] == pytest.approx(7 / 8)
