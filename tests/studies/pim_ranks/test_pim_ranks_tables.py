"""Sets of tables, tables larger than the machine, ties by id, and the overheads that schedulers state."""

from fractions import Fraction
from random import Random

import polars as pl
import pytest
from pim_ranks_cases import compiled, random_jobs, random_scenario, random_world, scenario_table, tables
from pim_ranks_slow import Job, Scenario, Stage, World

from pipeline.studies import pim_ranks

RANKS = 7
ALONE = World(
    {"A": [Fraction(8), Fraction(5), Fraction(3), Fraction(4)]},
    {"A": 3},
    {"A": [Stage("kernel", Fraction(0), Fraction(1), Fraction(7), Fraction(1))]},
    {"A": 3},
)


def world_of(seed):
    return random_world(Random(seed), RANKS, dyadic=True)


def queues_of(seed, count):
    """Queues w0, w1, …; times in halves of a second."""
    rng = Random(seed)
    return {f"w{k}": random_jobs(rng, dyadic=True, most=16) for k in range(count)}


def scenarios_of(seed, scheduler, queues):
    rng = Random(seed)
    return scenario_table({f"{scheduler} {w}": (w, random_scenario(rng, scheduler, RANKS)) for w in queues})


def as_bytes(result):
    """Each table as its schema and text (floats in full), rows as they come."""
    return {name: (frame.schema, frame.write_csv()) for name, frame in result.items()}


@pytest.mark.parametrize("scheduler", pim_ranks.schedulers())
def test_the_schedulers_own_overhead_is_the_default(scheduler):
    own = {"sm_opt_fcfs": 0.055, "sm_opt_ooo": 0.06, "pim_care": 0.06, "care_floor": 0.06, "virtual_pim_fine": 0.07}
    scenarios = scenario_table({"s": ("w", Scenario(scheduler, 4))}).with_columns(overhead=pl.lit(None, pl.Float64))
    inputs = tables(ALONE, {"w": [Job(7, "A")]})
    metrics = dict(pim_ranks.replay(inputs, scenarios)["metrics"].select("metric", "value").iter_rows())
    fine = scheduler == "virtual_pim_coop"  # one stage, 7 % dearer: within 110 %
    share = 0.07 if fine else own.get(scheduler, 0.0)
    assert metrics["overhead_share"] == pytest.approx(share)
    assert metrics["makespan_s"] == pytest.approx((4 if scheduler == "se_full" else 3) * (1 + share))
    assert pim_ranks.replay(inputs, scenarios.drop("overhead"))["outcomes"].equals(
        pim_ranks.replay(inputs, scenarios)["outcomes"]
    )


def test_sets_of_tables_are_told_apart_by_table_id():
    """An ensemble of tables is one input; tables without table_id hold for all of its members."""
    worlds = {"a": world_of(10), "b": world_of(11)}
    queues = queues_of(10, 5)
    parts = {key: tables(world, queues) for key, world in worlds.items()}
    both = {
        name: pl.concat([part[name].with_columns(table_id=pl.lit(key)) for key, part in parts.items()])
        for name in ("perf_tables", "best_ranks", "stages", "requests")
    } | {"queue": parts["a"]["queue"]}
    for scheduler in ("pim_care", "virtual_pim_coop"):
        rows = scenarios_of(10, scheduler, queues)
        for key, part in parts.items():
            mixed = pim_ranks.replay(both, rows.with_columns(table_id=pl.lit(key)))
            assert as_bytes(mixed) == as_bytes(pim_ranks.replay(part, rows))
    shared = both | {"best_ranks": parts["a"]["best_ranks"]}
    rows = scenarios_of(10, "sm_opt_fcfs", queues)
    own = pim_ranks.replay(parts["b"] | {"best_ranks": parts["a"]["best_ranks"]}, rows)
    assert as_bytes(pim_ranks.replay(shared, rows.with_columns(table_id=pl.lit("b")))) == as_bytes(own)


@pytest.mark.parametrize(("dtype", "order"), [(pl.Int64, [3, 20, 100]), (pl.String, ["100", "20", "3"])], ids=str)
def test_ties_of_arrival_go_by_id(dtype, order):
    inputs = tables(World({"A": [Fraction(4)]}, {"A": 1}), {"w": [Job(k, "A") for k in (3, 20, 100)]})
    inputs["queue"] = inputs["queue"].cast({"job_id": dtype})
    outcomes = pim_ranks.replay(inputs, scenario_table({"s": ("w", Scenario("sm_opt_fcfs", 1))}))["outcomes"]
    assert outcomes.sort("start_s")["job_id"].to_list() == order


def test_a_smaller_machine_uses_the_first_ranks_of_a_larger_table():
    """Figure 11 runs on 14 of 30 ranks: speeds stay relative to the best of the whole table."""
    world = World(
        {"A": [Fraction(16, r) for r in range(1, 9)], "B": [Fraction(12, r) for r in range(1, 9)]},
        dict.fromkeys("AB", 8),
    )
    runs, metrics = compiled(world, [([Job(1, "A"), Job(2, "B")], Scenario("sm_opt_fcfs", 4))])[0]
    assert runs == {1: (4, 0.0, 4.0, 4.0), 2: (4, 4.0, 7.0, 7.0)}
    assert metrics["makespan_lower_bound_s"] == 7.0
