"""What the claims' queries on pim_graph make of results that are made up, so that their answers are known."""

import duckdb
import polars as pl
import pytest

from pipeline.claims import evaluate
from pipeline.claims.evaluate import NOT_REPRODUCED, REPRODUCED
from pipeline.runtime import sources
from pipeline.warehouse import definitions
from tests.claims.worlds.pim_graph import SLOWER, made_up, queues, stacks_of

FOLDER = sources.PACKAGE / "studies" / "pim_graph" / "claims"


def judged(rows: list[dict], claim: str) -> tuple[dict, dict[str, dict]]:
    """The claim's row of the ledger and its parts, on made-up rows of pim_graph_result."""
    connection = duckdb.connect()
    connection.register("made_up", pl.DataFrame(rows).to_arrow())
    connection.execute("CREATE TABLE pim_graph_result AS FROM made_up")
    connection.execute(definitions.found("pim_graph_claim")[-1].read_text())
    path = FOLDER / f"{claim}.sql"
    header, sql = evaluate.read(path)
    row, parts = evaluate._judge(path, header.model_copy(update={"evidence": None}), sql, connection)
    return row, {part["part"]: part for part in parts}


@pytest.mark.parametrize(
    ("claim", "scheduler", "change", "fails"),
    [
        ("G4", "migration", {"cycles": 260}, {
            "BFS, slower than migration remote", "BFS, slower than the baseline", "SSSP, slower than the baseline"}),
        ("G4", "migration", {"local_accesses": 0}, {
            "BFS, more energy than its modifications", "SSSP, more energy than its modifications"}),
        ("G5", "baseline", {"cycles": 100}, {"BFS, flat", "SSSP, flat"}),
        ("G5", "migration_local", {"cycles": 9999}, {"BFS, faster", "SSSP, faster"}),
        ("G10", "work_stealing", {"cycles": 9999}, {"work stealing at QR 64"}),
        ("G11", "work_stealing", {"remote_accesses": 7}, {"BFS, work stealing", "BC, work stealing"}),
        ("G13", "baseline", {"remote_accesses": 0, "energy_1x": 0}, {
            "remote accesses", "energy at 1x", "energy at 5x", "energy at 10x"}),
        ("G18", "migration_local", {"remote_accesses": 200}, {"BFS, more than each"}),
        ("G20", "baseline", {"remote_accesses": 390}, {
            "BFS, fewer remote than the baseline", "BC, fewer remote than the baseline"}),
        ("G21", "migration", {"local_accesses": 2000}, {"BFS, more local: naive", "SSSP, more local: naive"}),
    ],
)  # fmt: skip
def test_parts_that_do_not_hold_fail_alone(claim, scheduler, change, fails):
    _, parts = judged(made_up(lambda row: row | change if row["scheduler"] == scheduler else row), claim)
    assert {name for name, part in parts.items() if part["verdict"] != REPRODUCED} == fails


@pytest.mark.parametrize(
    ("claim", "scheduler", "change"),
    [
        ("G7", "migration_remote", {"cycles": 9999}),
        ("G9", "work_stealing", {"cycles": 9999}),
        ("G15", "dl_work_stealing", {"local_accesses": 99999}),
    ],
)
def test_results_that_gainsay_a_claim_do_not_reproduce_it(claim, scheduler, change):
    row, _ = judged(made_up(lambda row: row | change if row["scheduler"] == scheduler else row), claim)
    assert row["verdict"] == NOT_REPRODUCED


def test_always_is_not_met_where_one_source_ties():
    ties = {"scheduler": "work_stealing", "qr": 64, "batch": 3, "algorithm": "bc"}
    rows = made_up(lambda row: row | {"cycles": 103} if ties.items() <= row.items() else row)
    row, _ = judged(rows, "G9")
    assert (row["verdict"], row["value"], row["lo"]) == (NOT_REPRODUCED, 0.8, None)


def test_software_queues_are_judged_setting_by_setting():
    row, parts = judged(queues(), "G2")
    assert row["verdict"] == REPRODUCED
    assert parts["Amazon"]["value"] == pytest.approx(16.7)
    assert row["robustness"] == 0.5
    assert "per enqueue: 0 not reproduced" in row["settings"]
    row, _ = judged(queues(), "G1")
    assert row["settings"].startswith("default: 1 reproduced") and "per enqueue: 0 not reproduced" in row["settings"]
    assert judged(queues(), "G3")[0]["verdict"] == REPRODUCED
    flat = dict.fromkeys(SLOWER, 1.1)
    assert judged(queues(flat), "G3")[0]["verdict"] == NOT_REPRODUCED  # software does not depend on the latency, either


def test_imbalance_has_to_grow_in_each_step():
    assert judged(stacks_of({4: 1.5, 8: 1.7, 16: 1.9}), "G12")[0]["verdict"] == REPRODUCED
    assert judged(stacks_of({4: 1.5, 8: 1.4, 16: 1.9}), "G12")[0]["verdict"] == NOT_REPRODUCED
