"""The second round of scenarios: where its sizes lie, and that they are scenarios like those of the first."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from pipeline import config, tables
from pipeline.studies import hpc_memory
from pipeline.studies.hpc_memory.refinement import between, refine

GRID = [100.0, 120.0, 140.0]
FEW = ["unlimited", "priority", "aggregated"]
SWEEPS = {
    "phased": {"workload": "phased", "batches": 2, "jobs": 5, "schedulers": FEW},
    "dynamic": {
        "workload": "dynamic",
        "batches": 1,
        "jobs": 5,
        "tau_s": [5.0],
        "schedulers": ["unlimited", "priority"],
    },
    "other": {"workload": "phased", "batches": 2, "jobs": 5, "alpha": [0.1], "reconfiguration": ["restart"]},
}
EMPTY = {name: tables.empty(schema) for name, schema in tables.CANONICAL.items()}


def settings(sizes=GRID, **keys):
    sweeps = {name: {"memory_per_node_gb": sizes} | sweep for name, sweep in SWEEPS.items()}
    return config.parse({"hpc_memory": {"timeline": 5, "sweeps": sweeps} | keys})


def first_round(loss, sizes=GRID, grows=lambda scheduler, size: 0.0):
    """Workloads, scenarios and metrics such that the mean loss of a scheduler at a size, and the growth of its response
    time, are what `loss` and `grows` say.
    """
    workloads = hpc_memory.workloads(settings(sizes), EMPTY)["workloads"]
    scenarios = hpc_memory.scenarios(settings(sizes), EMPTY | {"workloads": workloads})
    # A batch loses a little more than the other; scenarios with other parameters lose all, and are not looked at.
    spread = (
        pl.when(pl.col("workload_id").str.starts_with("phased")).then(0.001 * (pl.col("seed") - 0.5)).otherwise(0.0)
    )
    runs = scenarios.select("scheduler", "memory_per_node_gb")
    lost = scenarios.select(
        pl.struct("scheduler", "memory_per_node_gb").map_elements(lambda run: loss(*run.values()), pl.Float64) + spread
    ).to_series()
    unlimited, usual = scenarios["scheduler"] == "unlimited", scenarios["alpha"] == 0.03
    values = [0.8 if u else 0.8 * (1 - x) if k else 0.0 for u, x, k in zip(unlimited, lost, usual, strict=True)]
    grown = [1.0 if u else 1 + grows(*run) for u, run in zip(unlimited, runs.iter_rows(), strict=True)]
    metrics = pl.concat(
        scenarios.select("scenario_id", metric=pl.lit(name), value=pl.Series(of, dtype=pl.Float64))
        for name, of in (("steady_utilisation", values), ("steady_response_s", grown))
    )
    return workloads, scenarios, metrics


def falling(scheduler, size):
    """12 % at 100 GB, 4 % at 120, 0.8 % at 140; aggregated loses nothing."""
    return {100.0: 0.12, 120.0: 0.04, 140.0: 0.008}.get(size, 0.0) if scheduler == "priority" else 0.0


def sizes_of(refined, scheduler, kind="phased"):
    rows = refined.filter(pl.col("scheduler") == scheduler, pl.col("workload_id").str.starts_with(kind))
    return rows["memory_per_node_gb"].unique().sort().to_list()


@pytest.mark.parametrize(
    ("losses", "bounds", "count", "expected"),
    [
        ([0.12, 0.04, 0.008], [0.05], 3, [105, 110, 115]),
        ([0.12, 0.04, 0.008], [0.02], 1, [130]),
        ([0.12, 0.04, 0.008], [0.01, 0.02], 1, [130]),  # one bracket for both
        ([0.12, 0.04, 0.008], [0.005], 2, [150, 160]),  # none keeps it: up to the largest worth trying
        ([0.04, 0.02, 0.008], [0.05], 2, [50, 75]),  # all keep it: from half the smallest
        ([0.004, 0.02, 0.008], [0.01], 1, [130]),  # a lucky size below one that fails is not enough
        ([0.12, 0.05, 0.008], [0.05], 1, [110]),  # a loss of just the bound keeps it
        ([0.12, 0.04, 0.008], [0.005, 0.02, 0.05], 0, []),
    ],
)
def test_sizes_lie_where_the_bound_begins_to_be_kept(losses, bounds, count, expected):
    assert between(GRID, losses, [0.0] * 3, [(bound, 0.1) for bound in bounds], count, most=160) == expected
    # The growth of the response alone does the same: what it is measured in makes no difference.
    assert between(GRID, [0.0] * 3, losses, [(0.1, bound) for bound in bounds], count, most=160) == expected


def test_both_bounds_are_kept_or_none_is():
    """12 % more response at 120 GB moves the bracket up, though the loss is kept from 110 GB on."""
    assert between(GRID, [0.12, 0.04, 0.008], [0.3, 0.12, 0.01], [(0.05, 0.1)], 1, most=160) == [130]
    workloads, scenarios, metrics = first_round(falling, grows=lambda scheduler, size: {120.0: 0.12}.get(size, 0.0))
    refined = refine(settings(loss_bounds=[0.05], refine=1), workloads, scenarios, metrics)
    assert sizes_of(refined, "priority") == [130]
    free = refine(settings(loss_bounds=[0.05], refine=1, response_bound=0.2), workloads, scenarios, metrics)
    assert sizes_of(free, "priority") == [110]


def test_nothing_is_tried_above_a_grid_that_reaches_the_machines_memory():
    assert between(GRID, [0.3, 0.2, 0.1], [0.0] * 3, [(0.05, 0.1)], 3, most=140) == []
    assert between(GRID, [0.3, 0.2, 0.1], [0.0] * 3, [(0.05, 0.1)], 3, most=130) == []


def test_a_grid_of_nothing_is_not_halved():
    assert between([0.0], [0.0], [0.0], [(0.05, 0.1)], 2, most=10) == []


def test_brackets_follow_the_mean_over_the_batches_of_each_family_and_scheduler():
    workloads, scenarios, metrics = first_round(falling)
    refined = refine(settings(loss_bounds=[0.02, 0.05], refine=1), workloads, scenarios, metrics)
    assert sizes_of(refined, "priority") == sizes_of(refined, "priority", "dynamic") == [110, 130]
    assert sizes_of(refined, "aggregated") == [50]
    assert sizes_of(refined, "aggregated", "dynamic") == []
    batches = refined.group_by("scheduler", "memory_per_node_gb").agg(
        pl.col("workload_id").str.starts_with("phased").sum()
    )
    assert batches["workload_id"].unique().to_list() == [2]


def test_the_ceiling_is_the_memory_of_the_machine_or_a_multiple_of_the_mean_use():
    workloads, scenarios, metrics = first_round(lambda scheduler, size: 0.5)
    bound = {"loss_bounds": [0.02], "refine": 2}
    assert sizes_of(refine(settings(**bound), workloads, scenarios, metrics), "priority") == [198, 256]
    unknown = workloads.with_columns(node_memory_gb=pl.lit(None, pl.Float64), mean_memory_gb=pl.lit(80.0))
    assert sizes_of(refine(settings(**bound), unknown, scenarios, metrics), "priority") == [170, 200]


def test_a_second_round_has_the_scenarios_that_a_sweep_with_its_sizes_would_have():
    workloads, scenarios, metrics = first_round(falling)
    refined = refine(settings(loss_bounds=[0.02, 0.05], refine=1), workloads, scenarios, metrics)
    rows = refined.filter(pl.col("scheduler") == "priority")
    swept = hpc_memory.scenarios(settings([110, 130]), EMPTY | {"workloads": workloads}).filter(
        pl.col("scheduler") == "priority", pl.col("alpha") == 0.03, ~pl.col("timeline")
    )
    assert_frame_equal(rows, swept)


def test_a_second_round_is_the_same_for_any_order_of_rows_and_comes_to_an_end():
    workloads, scenarios, metrics = first_round(falling)
    refined = refine(settings(), workloads, scenarios, metrics)
    shuffled = (frame.sample(fraction=1.0, shuffle=True, seed=3) for frame in (workloads, scenarios, metrics))
    assert_frame_equal(refine(settings(), *shuffled), refined)
    assert refined["scenario_id"].is_unique().all()
    assert set(refined["scenario_id"]).isdisjoint(scenarios["scenario_id"])
    # What is refined again, without new results, is what there is already.
    both = pl.concat([scenarios, refined])
    assert_frame_equal(refine(settings(), workloads, both, metrics), refined)


def test_schedulers_without_metrics_and_runs_without_a_utilisation_are_left_alone():
    workloads, scenarios, metrics = first_round(falling)
    only = scenarios.filter(pl.col("scheduler").is_in(["unlimited", "aggregated"]))
    some = metrics.filter(pl.col("scenario_id").is_in(only["scenario_id"].implode()))
    assert set(refine(settings(), workloads, scenarios, some)["scheduler"]) == {"aggregated"}
    nothing = metrics.with_columns(value=pl.lit(None, pl.Float64))
    assert refine(settings(), workloads, scenarios, nothing).is_empty()
    assert refine(settings(refine=0), workloads, scenarios, metrics).is_empty()
    assert refine(settings(), workloads.clear(), scenarios.clear(), metrics.clear()).schema == scenarios.schema
