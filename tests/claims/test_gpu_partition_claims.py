"""What the claims' queries on gpu_partition make of results that are made up, so that their answers are known."""

import itertools

import duckdb
import polars as pl
import pytest

from pipeline.claims import evaluate
from pipeline.claims.evaluate import IN_PART, INPUT, NOT_DERIVABLE, NOT_REPRODUCED, REPRODUCED
from pipeline.runtime import sources
from pipeline.warehouse import definitions

FOLDER = sources.PACKAGE / "studies" / "gpu_partition" / "claims"
IDS = [f"P{i}" for i in range(1, 15)]
SETS = 12
POINTS = (10, 20, 30, 34, 36, 40, 48, 56, 64)
ALGORITHMS = [("one_gpu", "inactive"), *itertools.product(("sms", "bf"), ("inactive", "act"))]


def as_the_paper_says(scheduler, forbidden, tasks, u, batch):
    """A result with which every claim holds."""
    bound = {("one_gpu", "inactive"): 34, ("sms", "inactive"): 56, ("sms", "act"): 48, ("bf", "inactive"): 48,
             ("bf", "act"): 40}[scheduler, forbidden]  # fmt: skip
    if tasks == 200:
        bound = 34 if scheduler == "one_gpu" else 40
    tests = {"sms": 1000, "bf": 400, "one_gpu": 1}[scheduler] * (0.5 if forbidden == "act" else 1)
    excess = 1.0 if scheduler == "one_gpu" else {"sms": 0.05, "bf": 0.1}[scheduler] + (0.1 if tasks == 200 else 0)
    partitions = 1 if scheduler == "one_gpu" else 25 if tasks == 50 else 40
    return {"schedulable": float(u <= bound), "tests": tests, "excess": excess, "partitions": partitions}


def judged(claim, result=as_the_paper_says, settings=("paper",), sets=SETS):
    """The claim's row of the ledger and its parts, on made-up rows of gpu_partition_result."""
    rows = []
    for setting, (scheduler, forbidden), tasks, u, batch in itertools.product(
        settings, ALGORITHMS, (50, 200), POINTS, range(sets)
    ):
        found = result(scheduler, forbidden, tasks, u, batch)
        rows.append(
            {"kind": "generated", "sms": 68, "memory_share": 0.5, "setting": setting, "batch": batch, "tasks": tasks,
             "utilisation": float(u), "scheduler": scheduler, "forbidden": forbidden, "sms_needed": 68.0,
             "tasks_per_partition": tasks / found["partitions"],
             "scheduled_workload": u * (1 + found["excess"])} | found
        )  # fmt: skip
    connection = duckdb.connect()
    connection.register("made_up", pl.DataFrame(rows).to_arrow())
    connection.execute("CREATE TABLE gpu_partition_result AS FROM made_up")
    connection.execute(definitions.found("gpu_partition_claim")[-1].read_text())
    path = FOLDER / f"{claim}.sql"
    row, parts = evaluate._judge(path, *evaluate.read(path), connection)
    return row, {part["part"]: part for part in parts}


def changed(**of_scheduler):
    """Results as the paper says, with other values for some schedulers."""

    def result(scheduler, forbidden, tasks, u, batch):
        return as_the_paper_says(scheduler, forbidden, tasks, u, batch) | of_scheduler.get(
            f"{scheduler}_{forbidden}", {}
        )

    return result


def test_every_claim_of_the_page_has_a_file():
    assert sorted(path.stem for path in FOLDER.glob("*.sql")) == sorted(IDS)


@pytest.mark.parametrize("claim", IDS)
def test_results_as_the_paper_describes_them_reproduce_it(claim):
    row, parts = judged(claim)
    assert row["verdict"] == (INPUT if claim == "P14" else REPRODUCED), parts


@pytest.mark.parametrize(
    ("claim", "change", "fails"),
    [
        ("P1", {"one_gpu_inactive": {"schedulable": 0.0}}, {"1G"}),
        ("P2", {"one_gpu_inactive": {"schedulable": 1.0}}, {"fails from 40 on"}),
        ("P3", {"bf_inactive": {"schedulable": 1.0}}, {"INA, at least as many", "INA, more"}),
        ("P4", {"sms_act": {"schedulable": 1.0}}, {"SMS, not better"}),
        ("P5", {"bf_act": {"tests": 390}}, {"BF", "BF, overload"}),
        ("P6", {"bf_act": {"tests": 600}}, {"ACT"}),
        ("P7", {"sms_act": {"partitions": 50}}, {"SMS-ACT"}),
        ("P8", {"bf_inactive": {"excess": 0.4}, "one_gpu_inactive": {"excess": 0.9}}, {"BF-INA", "1G"}),
        ("P9", {"one_gpu_inactive": {"schedulable": 1.0}}, {"dominate 1G"}),
        ("P10", {"bf_act": {"partitions": 60}}, {"BF-ACT"}),
        ("P12", {"sms_act": {"scheduled_workload": 99.0}}, {"ACT"}),
        ("P13", {"sms_inactive": {"excess": 0.2}}, {"SMS-INA"}),
    ],
)
def test_a_part_that_does_not_hold_fails_alone(claim, change, fails):
    _, parts = judged(claim, changed(**change))
    assert {name for name, part in parts.items() if part["verdict"] in (NOT_REPRODUCED, IN_PART)} == fails


def test_tests_that_grow_with_the_utilisation_are_seen():
    def result(scheduler, forbidden, tasks, u, batch):
        found = as_the_paper_says(scheduler, forbidden, tasks, u, batch)
        return found | ({"tests": 10 * u} if (scheduler, forbidden) == ("bf", "inactive") else {})

    _, parts = judged("P11", result)
    assert [name for name, part in parts.items() if part["verdict"] != REPRODUCED] == ["BF-INA"]


def test_robustness_counts_the_settings_and_1g_stands_in_those_of_merging():
    row, _ = judged("P8", settings=("paper", "increasing order", "non-preemptive"))
    assert row["robustness"] == 1.0
    assert "increasing order" in row["settings"]
    connection_rows, parts = judged("P1", settings=("paper", "increasing order"))
    assert connection_rows["robustness"] == 1.0
    assert set(parts) == {"SMS-INA", "SMS-ACT", "BF-INA", "BF-ACT", "1G"}


def test_from_few_sets_nothing_is_derived():
    row, _ = judged("P1", sets=4)
    assert row["verdict"] == NOT_DERIVABLE
