"""What the claims' queries on pim_graph make of results that are made up, so that their answers are known."""

import itertools

import duckdb
import polars as pl
import pytest

from pipeline.claims import evaluate
from pipeline.claims.evaluate import NOT_REPRODUCED, REPRODUCED
from pipeline.runtime import sources
from pipeline.warehouse import definitions

FOLDER = sources.PACKAGE / "studies" / "pim_graph" / "claims"
SCHEDULERS = [name for name in sources.schedulers("pim_graph") if name != "adaptive"]
PANELS = {"bfs": ("amazon", 8), "sssp": ("road", 4), "bc": ("pokec", 8)}
AS_SAID = {
    # cycles, local and remote accesses at QR 64, and at 640
    "baseline": ((100, 2000, 400), (900, 2000, 400)),
    "migration": ((2000, 9000, 300), (2000, 9000, 300)),
    "migration_remote": ((300, 1200, 200), (1000, 1200, 200)),
    "migration_local": ((500, 3000, 90), (500, 3000, 90)),
    "migration_duplicates": ((450, 3000, 90), (450, 3000, 90)),
    "migration_duplicates_local": ((440, 2800, 90), (440, 2800, 90)),
    "work_stealing": ((90, 1000, 390), (800, 1100, 300)),
    "dl_work_stealing": ((200, 1500, 390), (400, 2000, 200)),
}


def made_up(change=lambda row: row) -> list[dict]:
    """Runs that agree with all that the thesis says; `change` makes others of them."""
    rows = []
    for (algorithm, (graph, stacks)), name, (i, qr), batch in itertools.product(
        PANELS.items(), SCHEDULERS, enumerate((64, 640)), range(5)
    ):
        cycles, local, remote = AS_SAID[name][i]
        if algorithm == "sssp" and name == "migration_remote":
            cycles = 250
        rows.append({
            "graph": graph, "kind": "stand_in", "whole": True, "algorithm": algorithm, "stacks": stacks, "qr": qr,
            "setting": "default", "queue": "pim", "batch": batch, "scheduler": name, "cycles": cycles + batch,
            "local_accesses": local, "remote_accesses": remote,
            **{f"energy_{r}x": local + r * remote for r in (1, 5, 10)},
            "imbalance": 2.0 if name == "migration_remote" else 1.1,
        })  # fmt: skip
    return [change(row) for row in rows]


def judged(rows: list[dict], claim: str) -> tuple[dict, dict[str, dict]]:
    """The claim's row of the ledger and its parts, on made-up rows of pim_graph_result."""
    connection = duckdb.connect()
    connection.register("made_up", pl.DataFrame(rows).to_arrow())
    connection.execute("CREATE TABLE pim_graph_result AS FROM made_up")
    connection.execute(definitions.found("pim_graph_claim")[-1].read_text())
    path = FOLDER / f"{claim}.sql"
    row, parts = evaluate._judge(path, *evaluate.read(path), connection)
    return row, {part["part"]: part for part in parts}


def test_every_claim_of_the_page_has_a_file():
    assert {path.stem for path in FOLDER.glob("*.sql")} == {f"G{i}" for i in range(1, 16)}


@pytest.mark.parametrize("claim", ["G4", "G5", "G6", "G7", "G8", "G9", "G10", "G11", "G13", "G14", "G15"])
def test_results_as_the_thesis_says_reproduce_each_claim(claim):
    row, parts = judged(made_up(), claim)
    assert (row["verdict"], row["replicates"]) == (REPRODUCED, 5), parts


@pytest.mark.parametrize(
    ("claim", "scheduler", "change"),
    [
        ("G4", "migration", {"cycles": 1, "energy_1x": 0, "energy_5x": 0, "energy_10x": 0}),
        ("G7", "migration_remote", {"cycles": 9999}),
        ("G9", "work_stealing", {"cycles": 9999}),
        ("G11", "work_stealing", {"remote_accesses": 7}),
        ("G13", "baseline", {"remote_accesses": 0, "energy_1x": 0, "energy_5x": 0, "energy_10x": 0}),
        ("G15", "dl_work_stealing", {"local_accesses": 99999}),
    ],
)
def test_results_that_gainsay_a_claim_do_not_reproduce_it(claim, scheduler, change):
    _, parts_before = judged(made_up(), claim)
    row, parts = judged(made_up(lambda row: row | change if row["scheduler"] == scheduler else row), claim)
    if parts:
        assert any(part["verdict"] == NOT_REPRODUCED for part in parts.values())
        assert all(part["verdict"] == REPRODUCED for part in parts_before.values())
    else:
        assert row["verdict"] == NOT_REPRODUCED


def queues() -> list[dict]:
    slower = {("amazon", 640): 1.167, ("amazon", 64): 1.01, ("pokec", 640): 1.097, ("pokec", 64): 1.02}
    return [
        {"graph": graph, "kind": "stand_in", "whole": True, "algorithm": "bfs", "scheduler": "migration", "stacks": 4,
         "qr": qr, "setting": setting, "queue": queue, "batch": batch, "imbalance": 1.0,
         "cycles": (1000.0 + batch) * (slower[graph, qr] if setting == "per task" and queue == "software" else 1.0),
         "local_accesses": 1, "remote_accesses": 1, "energy_1x": 1, "energy_5x": 1, "energy_10x": 1}
        for graph, qr, batch in itertools.product(("amazon", "pokec"), (64, 640), range(5))
        for queue, setting in (("pim", "default"), ("software", "default"), ("software", "per task"))
    ]  # fmt: skip


def test_software_queues_are_judged_setting_by_setting():
    row, parts = judged(queues(), "G2")
    assert row["verdict"] == NOT_REPRODUCED
    assert parts["Amazon"]["value"] == pytest.approx(0)
    assert row["robustness"] == 0.5
    assert "per task: 1 reproduced" in row["settings"]
    row, _ = judged(queues(), "G1")
    assert row["settings"].startswith("default: 0 [") and "per task: 1 [" in row["settings"]
    row, _ = judged(queues(), "G3")
    assert row["verdict"] == REPRODUCED


def test_imbalance_has_to_grow_in_each_step():
    def runs(imbalance):
        return [
            row | {"algorithm": "bc", "scheduler": "migration_remote", "qr": 352, "stacks": p, "graph": graph,
                   "imbalance": imbalance[p]}
            for row in made_up()[:5] for p in (4, 8, 16) for graph in ("road", "amazon", "pokec")
        ]  # fmt: skip

    assert judged(runs({4: 1.5, 8: 1.7, 16: 1.9}), "G12")[0]["verdict"] == REPRODUCED
    assert judged(runs({4: 1.5, 8: 1.4, 16: 1.9}), "G12")[0]["verdict"] == NOT_REPRODUCED
