"""Task sets of real-time kernels dropped as tables: a set is taken whole or not at all."""

import polars as pl
import pytest

from pipeline.stages import ingest

HEADER = "task_id,period,deadline,work,kind"
GOOD = ["camera,33.3,25,120,memory", "planner,100,75,60,compute", "radar,50,60,20,memory"]


def run(folder, *lines, header=HEADER, trace_yaml=None):
    drop = folder / "demo"
    drop.mkdir(parents=True)
    (drop / "tasks.csv").write_text("\n".join([header, *lines]) + "\n")
    if trace_yaml:
        (drop / "trace.yaml").write_text(trace_yaml)
    summary = ingest.ingest(drop, folder / "out")
    return summary, {path.stem: pl.read_parquet(path) for path in (folder / "out").glob("*.parquet")}


def rejected(tables):
    return sorted(tables["rejected_rows"].select("row", "reason").rows(), key=str)


def test_tasks_come_back_as_given_odd_periods_and_long_deadlines_too(tmp_path):
    summary, result = run(tmp_path, *GOOD)
    assert summary.code == 0
    assert result["tasks"].drop("origin").rows() == [
        ("demo", "demo", "camera", 33.3, 25.0, 120.0, "memory", None, None),
        ("demo", "demo", "planner", 100.0, 75.0, 60.0, "compute", None, None),
        ("demo", "demo", "radar", 50.0, 60.0, 20.0, "memory", None, None),
    ]
    assert result["traces"].select("format", "status").row(0) == ("tasks", "read")
    assert result["tallies"].select("table_name", "fate", "rows").rows() == [("tasks", "used", 3)]


def test_parquet_with_mapped_columns_and_several_sets(tmp_path):
    drop = tmp_path / "demo"
    drop.mkdir()
    frame = pl.DataFrame(
        {"set": [1, 1, 2], "name": ["a", "b", "a"], "T": [10, 20, 30], "D": [10, 20, 30], "work": [1.5, 2.5, 3.5],
         "kind": ["compute"] * 3, "serial_fraction": [0.1, None, 0.0], "conflict_factor": [None, 1.5, 1.0]}
    )  # fmt: skip
    frame.write_parquet(drop / "tasks.parquet")
    (drop / "trace.yaml").write_text("columns: {taskset_id: set, task_id: name, period: T, deadline: D}\n")
    assert ingest.ingest(drop, tmp_path / "out").code == 0
    result = pl.read_parquet(tmp_path / "out" / "tasks.parquet")
    assert result.select("taskset_id", "task_id", "serial_fraction", "conflict_factor").rows() == [
        ("1", "a", 0.1, None),
        ("1", "b", None, 1.5),
        ("2", "a", 0.0, 1.0),
    ]


@pytest.mark.parametrize(
    ("line", "reason", "detail"),
    [
        ("bad,0,10,5,compute", "period_not_positive", "period = 0.0"),
        ("bad,-5,10,5,compute", "period_not_positive", "period = -5.0"),
        ("bad,10,0,5,compute", "deadline_not_positive", "deadline = 0.0"),
        ("bad,10,10,-1,compute", "work_not_positive", "work = -1.0"),
        ("bad,inf,10,5,compute", "period_infinite", "period = inf"),
        ("bad,10,nan,5,compute", "deadline_not_a_number", "deadline = NaN"),
        ("bad,10,10,,compute", "work_missing", "a value is required"),
        (",10,10,5,compute", "task_id_missing", "a value is required"),
        ("bad,10,10,5,", "kind_missing", "a value is required"),
        ("bad,10,10,5,memmory", "kind_unknown", "known: compute, memory; did you mean 'memory'"),
    ],
)
def test_a_set_that_lost_a_task_goes_whole_and_the_other_stays(tmp_path, line, reason, detail):
    lines = [*(f"one,{good}" for good in GOOD), f"two,{line}", "two,other,10,10,5,compute"]
    summary, result = run(tmp_path, *lines, header=f"taskset_id,{HEADER}")
    assert summary.code == 1
    assert result["tasks"]["taskset_id"].to_list() == ["one"] * 3
    assert rejected(result) == [(5, reason), (6, "taskset_incomplete")]
    said = dict(result["rejected_rows"].select("reason", "detail").rows())
    assert detail in said[reason]
    assert "another task of set two was rejected" in said["taskset_incomplete"]


@pytest.mark.parametrize(
    ("values", "reason"), [("-0.1,1.2", "serial_fraction_too_small"), ("0.1,0.5", "conflict_factor_too_small")]
)
def test_factors_out_of_range(tmp_path, values, reason):
    _, result = run(
        tmp_path,
        f"a,10,10,5,compute,{values}",
        "b,10,10,5,compute,,",
        header=f"{HEADER},serial_fraction,conflict_factor",
    )
    assert "tasks" not in result
    assert rejected(result) == [(2, reason), (3, "taskset_incomplete")]


def test_a_row_that_stands_twice_counts_once(tmp_path):
    _, result = run(tmp_path, *GOOD, GOOD[0])
    assert result["tasks"]["task_id"].n_unique() == len(result["tasks"]) == len(GOOD)
    assert rejected(result) == [(5, "duplicate_task")]
    assert "task_id = camera" in result["rejected_rows"]["detail"][0]


def test_two_tasks_of_one_name_are_not_made_one(tmp_path):
    _, result = run(tmp_path, *GOOD, GOOD[0].replace("120", "130"))
    assert "tasks" not in result
    assert rejected(result) == [
        (2, "task_contradictory"), (3, "taskset_incomplete"), (4, "taskset_incomplete"), (5, "task_contradictory")
    ]  # fmt: skip
    assert "task camera of set demo is there with different numbers" in result["rejected_rows"]["detail"].str.join()[0]


def test_a_task_of_no_set_is_rejected_alone(tmp_path):
    _, result = run(tmp_path, *(f"one,{good}" for good in GOOD), f",{GOOD[0]}", header=f"taskset_id,{HEADER}")
    assert len(result["tasks"]) == 3
    assert rejected(result) == [(5, "taskset_id_missing")]


def test_a_row_that_cannot_be_read_takes_the_only_set_with_it(tmp_path):
    summary, result = run(tmp_path, *GOOD, "late,ten,10,5,compute")
    assert summary.code == 2
    assert "tasks" not in result
    reasons = {reason for _, reason in rejected(result)}
    assert {"period_unreadable", "taskset_incomplete", "table_missing"} <= reasons


def test_columns_that_are_missing_are_named(tmp_path):
    summary, result = run(tmp_path, "a,1,1,memory", header="task_id,priod,deadline,kind")
    assert summary.code == 2
    detail = result["rejected_rows"].filter(pl.col("reason") == "columns_missing")["detail"][0]
    assert "no column period; did you mean 'priod'" in detail
    assert "no column work" in detail


def test_work_longer_than_any_deadline_is_taken_and_told_by_the_study(tmp_path):
    summary, result = run(tmp_path, "a,10,10,5000,compute")
    assert summary.code == 0
    assert len(result["tasks"]) == 1
