"""What is wrong with a replay's inputs is said by name, with what is known instead."""

from fractions import Fraction

import polars as pl
import pytest
from pim_ranks_cases import VIRTUAL, scenario_table, tables
from pim_ranks_slow import Job, Scenario, Stage, World

from pipeline.studies import pim_ranks

STAGES = [
    Stage("host_pre", Fraction(1)),
    Stage("kernel", Fraction(0), Fraction(1), Fraction(2), Fraction(1), Fraction(0)),
]
GOOD = World({"GEMV": [Fraction(4), Fraction(2)]}, {"GEMV": 2}, {"GEMV": STAGES}, {"GEMV": 2})
INPUTS = tables(GOOD, {"W1": [Job(1, "GEMV")]})
ROW = scenario_table({"s": ("W1", Scenario("pim_care", 2))})


def refused(inputs=INPUTS, scenarios=ROW):
    with pytest.raises(ValueError) as error:
        pim_ranks.replay(inputs, scenarios)
    return str(error.value)


@pytest.mark.parametrize(
    ("column", "value", "named"),
    [
        ("ranks", 0, ("ranks", "0")),
        ("ranks", 2.5, ("ranks", "2.5")),
        ("ranks", 3, ("GEMV", "3 ranks")),
        ("window", 0, ("window", "0")),
        ("window", 1.5, ("window", "1.5")),
        ("ooo_window", -1, ("ooo_window", "-1")),
        ("overhead", -0.1, ("overhead", "-0.1")),
        ("overhead", float("nan"), ("overhead",)),
        ("coop_limit", -1.0, ("coop_limit", "-1")),
        ("table_id", "t", ("t", "table_id")),
    ],
)
def test_a_bad_scenario_is_refused_by_name(column, value, named):
    text = refused(scenarios=ROW.with_columns(pl.lit(value).alias(column)))
    assert all(word in text for word in named), text


@pytest.mark.parametrize("scheduler", VIRTUAL)
@pytest.mark.parametrize("table", ["stages", "requests"])
def test_virtual_pim_says_what_it_lacks(scheduler, table):
    rows = ROW.with_columns(scheduler=pl.lit(scheduler))
    text = refused({name: frame for name, frame in INPUTS.items() if name != table}, rows)
    assert table in text
    assert scheduler in text
    assert "GEMV" in refused(INPUTS | {table: INPUTS[table].clear()}, rows)


def test_virtual_pim_does_without_performance_tables():
    rows = ROW.with_columns(scheduler=pl.lit("virtual_pim_coarse"))
    inputs = {name: frame for name, frame in INPUTS.items() if name not in ("perf_tables", "best_ranks")}
    outcomes = pim_ranks.replay(inputs, rows)["outcomes"]
    assert outcomes.select("ranks", "start_s", "end_s").rows() == [(2, 1.0, 3.0)]


def test_an_unknown_app_is_named_with_the_nearest():
    queue = INPUTS["queue"].with_columns(app=pl.lit("GEMW"))
    text = refused(INPUTS | {"queue": queue})
    assert "GEMW" in text
    assert "perf_tables" in text
    assert "did you mean 'GEMV'" in text


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("perf_tables", "time_s", 0.0),
        ("perf_tables", "time_s", float("inf")),
        ("perf_tables", "time_s", None),
        ("perf_tables", "ranks", 0),
        ("best_ranks", "best_ranks", 0),
        ("best_ranks", "best_ranks", 1.5),
        ("queue", "arrival_s", float("nan")),
        ("queue", "arrival_s", None),
        ("queue", "job_id", None),
    ],
)
def test_a_value_out_of_range_is_named(table, column, value):
    frame = INPUTS[table].with_columns(pl.lit(value).alias(column))
    if column == "job_id":
        frame = frame.with_columns(pl.col("job_id").cast(pl.Int64))
    text = refused(INPUTS | {table: frame})
    assert column in text


@pytest.mark.parametrize(("table", "named"), [("perf_tables", "ranks"), ("best_ranks", "GEMV"), ("queue", "job_id 1")])
def test_what_occurs_twice_is_named(table, named):
    text = refused(INPUTS | {table: pl.concat([INPUTS[table], INPUTS[table]])})
    assert table in text
    assert named in text
    assert "twice" in text


@pytest.mark.parametrize(
    ("kinds", "named"),
    [
        (["kernel", "host_pre"], "host_pre"),
        (["kernel", "host_mid"], "host_mid"),
        (["host_post", "kernel"], "host_post"),
        (["host_pre"], "kernel"),
        (["kernell"], "did you mean 'kernel'"),
    ],
)
def test_stages_out_of_place_are_named(kinds, named):
    frame = tables(
        World(GOOD.times, GOOD.best, {"GEMV": [Stage(kind, *[Fraction(1)] * 5) for kind in kinds]}, {"GEMV": 1}), {}
    )
    frame = frame["stages"].with_columns(
        pl.lit(1.0).alias(c) for c in ("time_s", "input_s", "kernel_s", "output_s", "serial_s")
    )
    text = refused(INPUTS | {"stages": frame}, ROW.with_columns(scheduler=pl.lit("virtual_pim_fine")))
    assert named in text


def test_a_set_of_tables_must_be_chosen_where_there_are_several():
    inputs = dict(INPUTS)
    for name in ("perf_tables", "best_ranks"):
        inputs[name] = pl.concat([INPUTS[name].with_columns(table_id=pl.lit(t)) for t in ("a", "b")])
    assert "table_id is null" in refused(inputs)
    assert "unknown table 'c'" in refused(inputs, ROW.with_columns(table_id=pl.lit("c")))


def test_the_search_refuses_large_sets_with_what_would_be_right():
    queues = {"W1": [Job(k, "GEMV") for k in range(9)]}
    text = refused(tables(GOOD, queues), ROW.with_columns(scheduler=pl.lit("optimal")))
    assert "at most 8 jobs, this one has 9" in text
    assert "makespan_lower_bound_s" in text
