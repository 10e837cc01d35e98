"""Tasks and scenarios that cannot be are refused with a sentence that names what is wrong and what is known."""

import numpy as np
import polars as pl
import pytest

from pipeline.studies import gpu_partition

TASKS = pl.DataFrame(
    {"taskset_id": ["a", "a"], "task_id": [1, 2], "period": [100.0, 200.0], "deadline": [75.0, 150.0],
     "work": [10.0, 20.0], "kind": ["compute", "memory"]}
)  # fmt: skip
SCENARIO = pl.DataFrame({"scenario_id": ["x"], "taskset_id": ["a"], "scheduler": ["sms"]})


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"sms": 0}, "sms is 0 in row 1; it must be at least 1"),
        ({"sms": 6, "sizes": "mig"}, "sms is 6 in scenario 'x'; sizes mig are sevenths"),
    ],
)
def test_scenarios_that_cannot_be(change, sentence):
    scenario = SCENARIO.with_columns(pl.lit(value).alias(name) for name, value in change.items())
    with pytest.raises(ValueError, match=sentence.replace("(", r"\(")):
        gpu_partition.replay({"tasks": TASKS}, scenario)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"period": 0.0}, "tasks: period is 0.0 in row 1; it must be above 0"),
        ({"period": -5.0}, "tasks: period is -5.0"),
        ({"deadline": float("nan")}, "tasks: deadline is nan"),
        ({"work": float("inf")}, "tasks: work is inf"),
        ({"work": None}, "tasks: work is null in row 1"),
        ({"kind": "memoryy"}, "unknown kind 'memoryy'; known: compute, memory; did you mean 'memory'"),
        ({"kind": None}, "tasks: kind is null in row 1"),
        ({"task_id": 1}, "task_id 1 occurs twice in taskset 'a'"),
        ({"serial_fraction": -0.1}, "tasks: serial_fraction is -0.1"),
        ({"conflict_factor": 0.5}, "tasks: conflict_factor is 0.5 in row 1; it must be at least 1"),
    ],
)
def test_tasks_that_cannot_be(change, sentence):
    tasks = TASKS.with_columns(pl.lit(value).alias(name) for name, value in change.items())
    with pytest.raises(ValueError, match=sentence):
        gpu_partition.replay({"tasks": tasks}, SCENARIO)


def test_deadlines_above_periods_and_odd_periods_are_fine():
    tasks = TASKS.with_columns(period=pl.Series([33.3, 77.7]), deadline=pl.Series([50.0, 100.1]))
    result = gpu_partition.replay({"tasks": tasks}, SCENARIO)
    assert result["metrics"].filter(pl.col("metric") == "schedulable")["value"].to_list() == [1.0]


def test_a_task_that_is_late_on_all_sms_is_said_in_the_outcomes():
    tasks = TASKS.with_columns(work=pl.Series([10.0, 12000.0]), deadline=pl.Series([75.0, 150.0]))
    slow = tasks.with_columns(period=pl.Series([100.0, 4000.0]))
    result = gpu_partition.replay({"tasks": slow}, SCENARIO)
    assert result["outcomes"]["rejected"].unique().to_list() == ["a task is late on the whole machine alone (Lemma 2)"]
    over = tasks.with_columns(work=pl.Series([10.0, 20000.0]))
    result = gpu_partition.replay({"tasks": over}, SCENARIO)
    assert result["outcomes"]["rejected"][0].startswith("overloaded")


def test_a_hyperperiod_without_end_does_not_hang():
    # Primes as periods, and work that loads partitions to the brim.
    primes = np.array([9973, 9967, 9949, 9941, 9931, 9929, 9923, 9907, 9901, 9887, 9883, 9871], float)
    tasks = pl.DataFrame(
        {"taskset_id": "a", "task_id": np.arange(12), "period": primes, "deadline": primes,
         "work": primes / 2 / 1.02, "kind": ["compute", "memory"] * 6, "conflict_factor": 1.0, "serial_fraction": 0.02}
    )  # fmt: skip
    scenarios = pl.DataFrame(
        {"scenario_id": ["a", "b", "c", "d"], "taskset_id": "a", "scheduler": ["sms", "bf", "sms", "one_gpu"],
         "sms": [6, 6, 6, 6], "priority": ["edf", "edf", "dm", "edf"]}
    )  # fmt: skip
    result = gpu_partition.replay({"tasks": tasks}, scenarios)
    assert len(result["metrics"]) > 4


def test_a_test_that_gives_up_counts_as_failed_and_is_said():
    # Loaded to the brim by periods that never meet again: there is no end of the busy period in sight.
    period = np.sqrt([2.0, 3, 5, 7, 11, 13, 17, 19])
    tasks = pl.DataFrame(
        {"taskset_id": "a", "task_id": np.arange(8), "period": period, "deadline": 1000.0 + np.arange(8),
         "work": period / 8, "kind": ["compute", "memory"] * 4, "conflict_factor": 1.0, "serial_fraction": 0.0}
    )  # fmt: skip
    row = SCENARIO.with_columns(scheduler=pl.lit("one_gpu"), sms=1, priority=pl.lit("dm"))
    metrics = dict(gpu_partition.replay({"tasks": tasks}, row)["metrics"].select("metric", "value").iter_rows())
    assert (metrics["schedulable"], metrics["undecided"], metrics["tests"]) == (0, 1, 1)
    lighter = tasks.with_columns(pl.col("work") / 2)
    metrics = dict(gpu_partition.replay({"tasks": lighter}, row)["metrics"].select("metric", "value").iter_rows())
    assert metrics["schedulable"] == 1
    assert "undecided" not in metrics
