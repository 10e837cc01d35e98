"""What the claims' queries on gpu_partition make of results that are made up, so that their answers are known."""

import duckdb
import polars as pl
import pytest

from pipeline.claims import evaluate
from pipeline.claims.evaluate import IN_PART, INPUT, NOT_DERIVABLE, NOT_REPRODUCED, REPRODUCED
from pipeline.runtime import sources
from pipeline.warehouse import definitions
from tests.claims.worlds.gpu_partition import SETS, exact, rows

FOLDER = sources.PACKAGE / "studies" / "gpu_partition" / "claims"


def judged(claim, result=exact, settings=("paper",), sets=SETS):
    """The claim's row of the ledger and its parts, on made-up rows of gpu_partition_result."""
    connection = duckdb.connect()
    connection.register("made_up", pl.DataFrame(rows(result, settings, sets)).to_arrow())
    connection.execute("CREATE TABLE gpu_partition_result AS FROM made_up")
    connection.execute(definitions.found("gpu_partition_claim")[-1].read_text())
    path = FOLDER / f"{claim}.sql"
    header, sql = evaluate.read(path)
    row, parts = evaluate._judge(path, header.model_copy(update={"evidence": None}), sql, connection)
    return row, {part["part"]: part for part in parts}


def changed(**of_scheduler):
    """Results as the paper says, with other values for some schedulers."""

    def result(scheduler, forbidden, tasks, u, batch):
        return exact(scheduler, forbidden, tasks, u, batch) | of_scheduler.get(f"{scheduler}_{forbidden}", {})

    return result


@pytest.mark.parametrize(
    ("claim", "change", "fails"),
    [
        ("P1", {"one_gpu_inactive": {"schedulable": 0.0}}, {"1G"}),
        ("P1", {"bf_act": {"schedulable": 1.0}}, {"BF-ACT"}),
        ("P2", {"one_gpu_inactive": {"schedulable": 1.0}}, {"fails from 40 on"}),
        ("P3", {"bf_inactive": {"schedulable": 1.0}}, {"INA"}),
        ("P4", {"sms_act": {"schedulable": 1.0}}, {"SMS, lower", "SMS, slightly"}),
        ("P5", {"bf_act": {"steps": 390}}, {"BF"}),
        ("P6", {"bf_act": {"steps": 600}}, {"ACT"}),
        ("P7", {"sms_act": {"partitions": 50}}, {"SMS-ACT"}),
        ("P8", {"bf_inactive": {"excess": 0.4}, "one_gpu_inactive": {"excess": 0.9}}, {"BF-INA", "1G"}),
        ("P9", {"one_gpu_inactive": {"schedulable": 1.0}}, {"dominate 1G"}),
        ("P10", {"bf_act": {"partitions": 60}}, {"BF-ACT"}),
        ("P12", {"sms_act": {"scheduled_workload": 99.0}}, {"ACT"}),
        ("P13", {"sms_inactive": {"excess": 0.2}}, {"SMS-INA"}),
        ("P15", {"sms_act": {"schedulable": 0.0}}, {"SMS-ACT"}),
    ],
)
def test_a_part_that_does_not_hold_fails_alone(claim, change, fails):
    _, parts = judged(claim, changed(**change))
    assert {name for name, part in parts.items() if part["verdict"] in (NOT_REPRODUCED, IN_PART)} == fails


def test_what_was_measured_by_the_paper_is_an_input():
    assert judged("P14")[0]["verdict"] == INPUT


def test_no_lead_and_no_loss_is_neither():
    """ACT as INA, and BF as SMS: a tie is no lead, and nothing is lower."""

    def alike(scheduler, forbidden, tasks, u, batch):
        return exact("one_gpu" if scheduler == "one_gpu" else "sms", "inactive", tasks, u, batch)

    for claim in ("P3", "P4", "P5", "P6", "P12"):
        assert judged(claim, alike)[0]["verdict"] == NOT_REPRODUCED, claim


def test_steps_that_grow_with_the_utilisation_are_seen():
    def result(scheduler, forbidden, tasks, u, batch):
        found = exact(scheduler, forbidden, tasks, u, batch)
        return found | ({"steps": 10 * u} if (scheduler, forbidden) == ("bf", "inactive") else {})

    _, parts = judged("P11", result)
    assert [name for name, part in parts.items() if part["verdict"] != REPRODUCED] == ["BF-INA"]


def test_robustness_counts_the_settings_and_1g_stands_in_those_of_merging():
    row, _ = judged("P8", settings=("paper", "increasing order", "non-preemptive"))
    assert row["robustness"] == 4 / 5  # of these, and of other ends of what is near the minimum, it is not at a tenth
    assert "increasing order" in row["settings"]
    row, parts = judged("P1", settings=("paper", "increasing order"))
    assert row["robustness"] == 1.0
    assert set(parts) == {"SMS-INA", "SMS-ACT", "BF-INA", "BF-ACT", "1G"}


def test_from_few_sets_nothing_is_derived():
    assert judged("P1", sets=4)[0]["verdict"] == NOT_DERIVABLE
