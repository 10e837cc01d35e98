"""What every scheduler of gpu_partition owes its users, for all that are found."""

from random import Random

import polars as pl
import pytest
from gpu_partition_cases import metrics_of, random_options, random_tasks, scenario_table, task_table
from gpu_partition_slow import Options
from polars.testing import assert_frame_equal

from pipeline.studies import gpu_partition

SCHEDULERS = tuple(sorted(gpu_partition.schedulers()))
every_scheduler = pytest.mark.parametrize("scheduler", SCHEDULERS)
COMPARED = ("outcomes", "metrics")


def world(seed, scheduler, count=12):
    """Tasks and scenarios under random options."""
    rng = Random(seed)
    sets = {f"s{k}": random_tasks(rng, rng.randint(1, 10), rng.uniform(1, 16)) for k in range(count)}
    rows = {f"{scheduler} {s}": (s, random_options(rng, scheduler=scheduler)) for s in sets}
    return task_table(sets), scenario_table(rows)


def as_bytes(result):
    """Each table that is not measured as its schema and text."""
    return {name: (result[name].schema, result[name].write_csv()) for name in COMPARED}


def test_the_schedulers_of_the_design_are_found():
    assert set(SCHEDULERS) >= {"sms", "bf", "one_gpu", "optimal", "local_search"}


@every_scheduler
def test_same_bytes_for_the_same_input_in_any_order_of_rows(scheduler):
    tasks, scenarios = world(1, scheduler)
    first = as_bytes(gpu_partition.replay({"tasks": tasks}, scenarios))
    assert as_bytes(gpu_partition.replay({"tasks": tasks}, scenarios)) == first
    mixed = tasks.sample(fraction=1, shuffle=True, seed=3)
    shuffled = scenarios.sample(fraction=1, shuffle=True, seed=4)
    assert as_bytes(gpu_partition.replay({"tasks": mixed}, shuffled)) == first


@every_scheduler
def test_a_scenario_alone_gives_what_it_gives_in_a_batch(scheduler):
    tasks, scenarios = world(2, scheduler)
    batch = gpu_partition.replay({"tasks": tasks}, scenarios)
    alone = [gpu_partition.replay({"tasks": tasks}, row) for row in scenarios.sort("scenario_id").iter_slices(1)]
    for name in COMPARED:
        assert_frame_equal(pl.concat(result[name] for result in alone), batch[name])


@every_scheduler
def test_ids_come_back_as_given_with_their_dtype(scheduler):
    tasks, scenarios = world(3, scheduler)
    number = tasks.with_columns(
        pl.col("taskset_id").str.slice(1).cast(pl.Int16), pl.col("task_id").str.slice(1).cast(pl.UInt32)
    )
    ours = scenarios.with_columns(
        pl.col("taskset_id").str.slice(1).cast(pl.UInt8), scenario_id=pl.int_range(pl.len(), dtype=pl.Int32)
    )
    result = gpu_partition.replay({"tasks": number}, ours)
    assert result["outcomes"].schema["task_id"] == pl.UInt32
    for name in ("outcomes", "metrics", "measured"):
        assert result[name].schema["scenario_id"] == pl.Int32
    plain = gpu_partition.replay({"tasks": tasks}, scenarios)
    named = dict(enumerate(scenarios["scenario_id"]))
    assert {named[k]: v for k, v in metrics_of(result).items()} == metrics_of(plain)


@every_scheduler
def test_absent_columns_and_null_cells_take_the_defaults(scheduler):
    tasks, _ = world(4, scheduler)
    ids = tasks["taskset_id"].unique(maintain_order=True)
    short = pl.DataFrame({"scenario_id": ids, "taskset_id": ids}).with_columns(scheduler=pl.lit(scheduler))
    stated = short.with_columns(pl.lit(value).alias(name) for name, value in gpu_partition.DEFAULTS.items())
    empty = short.with_columns(pl.lit(None).alias(name) for name in gpu_partition.DEFAULTS)
    expected = as_bytes(gpu_partition.replay({"tasks": tasks}, stated))
    assert as_bytes(gpu_partition.replay({"tasks": tasks}, short)) == expected
    assert as_bytes(gpu_partition.replay({"tasks": tasks}, empty)) == expected
    memory = pl.col("kind") == "memory"
    full = tasks.with_columns(
        serial_fraction=pl.when(memory).then(0.1).otherwise(0.02),
        conflict_factor=pl.when(memory).then(2.3).otherwise(1.2),
    )
    null = tasks.with_columns(serial_fraction=pl.lit(None), conflict_factor=pl.lit(None))
    assert as_bytes(gpu_partition.replay({"tasks": full}, short)) == expected
    assert as_bytes(gpu_partition.replay({"tasks": null}, short)) == expected


@every_scheduler
@pytest.mark.parametrize("dtype", [pl.Int32, pl.Float32, pl.Float64, pl.UInt16])
def test_numbers_of_any_dtype(scheduler, dtype):
    tasks = pl.DataFrame(
        {"taskset_id": "a", "task_id": [1, 2, 3], "period": [50, 100, 200], "deadline": [40, 100, 150],
         "work": [70, 120, 300], "kind": ["memory", "compute", "memory"]}
    )  # fmt: skip
    scenarios = pl.DataFrame({"scenario_id": ["x"], "taskset_id": ["a"], "scheduler": [scheduler], "sms": [12]})
    expected = metrics_of(gpu_partition.replay({"tasks": tasks.cast({"work": pl.Float64})}, scenarios))
    other = tasks.cast(dict.fromkeys(("period", "deadline", "work"), dtype))
    assert metrics_of(gpu_partition.replay({"tasks": other}, scenarios.cast({"sms": dtype}))) == expected


@every_scheduler
def test_another_unit_of_time_changes_nothing(scheduler):
    # A factor that floats hold exactly.
    tasks, scenarios = world(5, scheduler)
    other = tasks.with_columns(pl.col("period", "deadline", "work") * 0.25)
    ours, theirs = (gpu_partition.replay({"tasks": t}, scenarios) for t in (tasks, other))
    assert metrics_of(ours) == metrics_of(theirs)
    assert_frame_equal(
        ours["outcomes"].with_columns(pl.col("execution_time") * 0.25), theirs["outcomes"], check_exact=True
    )


@every_scheduler
def test_every_task_is_in_one_partition_that_fits_the_machine_where_schedulable(scheduler):
    tasks, scenarios = world(6, scheduler, count=40)
    result = gpu_partition.replay({"tasks": tasks}, scenarios)
    per_scenario = tasks.group_by("taskset_id").len().join(scenarios, on="taskset_id")["len"].sum()
    assert len(result["outcomes"]) == per_scenario
    metrics = metrics_of(result)
    placed = result["outcomes"].filter(pl.col("partition").is_not_null())
    sizes = placed.group_by("scenario_id", "partition").agg(
        pl.col("partition_sms").first(), pl.col("partition_sms").n_unique().alias("sizes")
    )
    assert sizes["sizes"].max() == 1
    totals = dict(sizes.group_by("scenario_id").agg(pl.col("partition_sms").sum()).iter_rows())
    machine = dict(scenarios.select("scenario_id", "sms").iter_rows())
    assert len(totals) > 10
    for scenario, total in totals.items():
        assert metrics[scenario]["sms_needed"] == total
        assert metrics[scenario]["schedulable"] == 0 or total <= machine[scenario]
    late = placed.join(scenarios, on="scenario_id").join(tasks, on=["taskset_id", "task_id"])
    partitioned = late.filter(pl.col("scheduler") != "one_gpu")
    assert (partitioned["execution_time"] <= partitioned["deadline"] * (1 + 1e-9)).all()


@every_scheduler
def test_one_task_alone_takes_the_least_sms_that_meet_its_deadline(scheduler):
    tasks = pl.DataFrame(
        {"taskset_id": ["a"], "task_id": [1], "period": [100.0], "deadline": [50.0], "work": [205.0],
         "kind": ["compute"]}
    )  # fmt: skip
    scenarios = pl.DataFrame({"scenario_id": ["x"], "taskset_id": ["a"], "scheduler": [scheduler]})
    result = gpu_partition.replay({"tasks": tasks}, scenarios)
    # 205 * 1.02 / 50 = 4.18: five SMs; the whole GPU is asked for all of them.
    needed = 68.0 if scheduler == "one_gpu" else 5.0
    assert metrics_of(result)["x"]["sms_needed"] == needed
    assert result["outcomes"]["conflict"].to_list() == [False]


@every_scheduler
def test_no_scenarios_and_no_tasks(scheduler):
    tasks, scenarios = world(7, scheduler)
    for empty in (scenarios.clear(), scenarios.clear().select("scenario_id", "taskset_id", "scheduler")):
        result = gpu_partition.replay({"tasks": tasks}, empty)
        assert [len(result[name]) for name in ("outcomes", "metrics", "measured")] == [0, 0, 0]


def test_mig_slices_are_sevenths_and_all_kernels_compute():
    sets = {"s": random_tasks(Random(1), 6, 12.0)}
    options = {"scheduler": "sms", "taskset_id": "s", "sizes": "mig", "sms": 98}
    result = gpu_partition.replay(
        {"tasks": task_table(sets)}, pl.DataFrame([{"scenario_id": "x"} | options | {"stop": "exhaust"}])
    )
    outcomes = result["outcomes"]
    assert set(outcomes["partition_sms"]) <= {14, 28, 42, 56, 98}
    several = outcomes.filter(pl.len().over("partition") > 1)
    assert several["conflict"].all()
    work = {f"t{t.number:03d}": t.work for t in sets["s"]}
    for row in outcomes.iter_rows(named=True):
        k = 1.2 if row["conflict"] else 1.0
        assert row["execution_time"] == pytest.approx(k * 1.02 * work[row["task_id"]] / row["partition_sms"])


def test_local_search_only_adds_to_what_sms_accepts():
    rng = Random(21)
    sets = {f"s{k}": random_tasks(rng, 24, rng.uniform(9, 13)) for k in range(60)}
    rows = {f"{s} {h}": (s, Options(sms=16, scheduler=h)) for s in sets for h in ("sms", "local_search")}
    metrics = metrics_of(gpu_partition.replay({"tasks": task_table(sets)}, scenario_table(rows)))
    gained = 0
    for name in sets:
        before, after = metrics[f"{name} sms"], metrics[f"{name} local_search"]
        assert after["schedulable"] >= before["schedulable"]
        assert after["sms_needed"] <= before["sms_needed"]
        gained += after["schedulable"] > before["schedulable"]
    assert gained > 0
