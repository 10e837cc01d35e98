"""The executions by Slurm that are kept, and the numbers that are said of them."""

import polars as pl
import pytest
from examples import cases
from polars.testing import assert_frame_equal

from validation.slurm import compare

DROPS = compare.recorded()


@pytest.fixture(scope="module")
def executions():
    return {drop.name: compare.Executions(drop) for drop in DROPS}


@pytest.fixture(scope="module")
def records():
    return pl.read_csv(compare.RECORDS)


def test_ten_executions_of_two_logs_on_two_machines(executions):
    assert set(executions) == {"kth_sp2", "kth_sp2_one_node", "lanl_cm5", "lanl_cm5_one_node"}
    for name, drop_executions in executions.items():
        assert len(drop_executions.runs) == 10
        assert drop_executions.jobs.height == 2000
        assert drop_executions.nodes == (100 if name.startswith("kth_sp2") else 32)
        assert (drop_executions.jobs["start_s"] >= drop_executions.jobs["submit_s"]).all()
        runs = pl.read_csv(drop_executions.drop / "runs.csv")
        assert runs.rows() == [(run, name) for run in drop_executions.runs]


def test_the_machine_is_never_overfull(executions):
    for drop_executions in executions.values():
        changes = pl.concat(
            [
                drop_executions.jobs.select("run", "nodes", at="start_s"),
                drop_executions.jobs.select("run", -pl.col("nodes"), at="end_s"),
            ]
        )
        busy = changes.group_by("run", "at").agg(pl.col("nodes").sum()).sort("run", "at")
        assert busy.select(pl.col("nodes").cum_sum().over("run").max()).item() <= drop_executions.nodes


@pytest.mark.slow
@pytest.mark.parametrize("drop", cases(DROPS, DROPS[:1]), ids=lambda drop: drop.name)
def test_the_records_are_made_anew(drop, executions, records):
    result = compare.compared(executions[drop.name])
    assert_frame_equal(result, records.filter(workload=drop.name), check_dtypes=False, rel_tol=1e-4)


def test_the_tables_of_the_page(records):
    page = compare.PAGE.read_text(encoding="utf-8")
    assert page.count(compare.BEGIN) == page.count(compare.END) == 1
    assert page.partition(compare.BEGIN)[2].partition(compare.END)[0] == compare.section(records)
