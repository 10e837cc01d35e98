"""What is wrong with a replay's inputs is said by name, with what is known instead."""

import polars as pl
import pytest
from hpc_memory_cases import scenario_table, tables
from hpc_memory_slow import Job, Scenario

from pipeline.studies import hpc_memory

GOOD_JOBS = {"w": [Job(1, 0, 1, ((4, 2),), 5, ((2, 1),))]}
GOOD_ROW = {"s": ("w", Scenario(1, 2, "priority"))}


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [
        ("alpha", 0.0, ("alpha", "0")),
        ("alpha", 1.5, ("alpha", "1.5")),
        ("tau_s", -1.0, ("tau_s", "-1")),
        ("nodes", 0, ("nodes", "0")),
        ("memory_gb", -2.0, ("memory_gb", "-2")),
        ("memory_gb", float("nan"), ("memory_gb",)),
    ],
)
def test_a_bad_scenario_is_refused_by_name(column, value, named):
    scenarios = scenario_table(GOOD_ROW).with_columns(pl.lit(value).alias(column))
    with pytest.raises(ValueError) as error:
        hpc_memory.replay(tables(GOOD_JOBS), scenarios)
    assert all(word in str(error.value) for word in named), str(error.value)


@pytest.mark.parametrize("column", ["workload_id", "job_id", "memory_gb", "probability"])
def test_a_missing_column_of_the_profiles_is_named(column):
    inputs = tables(GOOD_JOBS)
    inputs["profiles"] = inputs["profiles"].drop(column)
    with pytest.raises(ValueError, match=f"profiles.*{column}"):
        hpc_memory.replay(inputs, scenario_table(GOOD_ROW))


def test_memory_is_needed_where_it_is_limited():
    with pytest.raises(ValueError, match="missing column memory_gb, which all but unlimited need"):
        hpc_memory.replay(tables(GOOD_JOBS), scenario_table(GOOD_ROW).drop("memory_gb"))


def test_a_job_without_phases_is_named():
    inputs = tables({"w": [Job(1, 0, 1, ((4, 2),)), Job(4711, 0, 1, ())]})
    with pytest.raises(ValueError, match="4711"):
        hpc_memory.replay(inputs, scenario_table(GOOD_ROW))


def test_a_phase_that_occurs_twice_is_named():
    inputs = tables({"w": [Job(1, 0, 1, ((4, 2), (4, 1))), Job(4711, 0, 1, ((4, 2),))]})
    inputs["phases"] = pl.concat([inputs["phases"], inputs["phases"].filter(pl.col("job_id") == 4711)])
    with pytest.raises(ValueError, match="phase 0 occurs twice in workload 'w', job 4711"):
        hpc_memory.replay(inputs, scenario_table(GOOD_ROW))


@pytest.mark.parametrize(
    ("table", "column", "value", "bound"),
    [
        ("jobs", "walltime_s", 0.0, "above 0"),
        ("jobs", "nodes", 0, "at least 1"),
        ("phases", "duration_s", 0.0, "above 0"),
        ("phases", "memory_gb", -1.0, "at least 0"),
    ],
)
def test_a_value_out_of_range_is_named_with_its_bound(table, column, value, bound):
    inputs = tables(GOOD_JOBS)
    inputs[table] = inputs[table].with_columns(pl.lit(value).alias(column))
    with pytest.raises(ValueError, match=rf"{table}: {column} is {value} in row 1; it must be {bound} and finite"):
        hpc_memory.replay(inputs, scenario_table(GOOD_ROW))
