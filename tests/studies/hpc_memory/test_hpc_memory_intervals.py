"""Steady measures over spans and batches, and when a scheduler is a tie, better, worse, a trade-off or open."""

import numpy as np
import polars as pl
import pytest

from pipeline import tables
from pipeline.studies.hpc_memory import intervals
from pipeline.studies.hpc_memory.replay import DEFAULTS
from pipeline.studies.hpc_memory.tables import RESULTS

NODES, LENGTH_S, JOBS = 10, 1000.0, 50


def world(spread=0.02, blocks=24, **schedulers):
    """Replays of one log: per scheduler its mean utilisation and response time (s), which vary alike over the spans."""
    noise = np.random.default_rng(3).normal(0, spread, blocks)
    workloads = pl.DataFrame(
        {
            "workload_id": ["w/b00"],
            "family": ["w"],
            "batch": [0],
            "kind": ["replayed"],
            "knowledge": ["own"],
            "tau_s": [None],
        },
        schema_overrides={"tau_s": pl.Float64},
    )
    scenarios, spans = [], []
    for name, (utilisation, response) in schedulers.items():
        row = {"scenario_id": name, "scheduler": name, "workload_id": "w/b00",
               "memory_per_node_gb": None if name == "unlimited" else 100.0}  # fmt: skip
        scenarios.append(row | {key: DEFAULTS[key] for key in DEFAULTS if key not in ("memory_gb",)})
        for span in range(blocks):
            spans.append(
                {"scenario_id": name, "span": span, "jobs": JOBS, "node_s": NODES * LENGTH_S,
                 "useful_node_s": NODES * LENGTH_S * utilisation * (1 + noise[span]),
                 "response_s": JOBS * response * (1 + 3 * noise[span]), "wait_s": JOBS * 0.0,
                 "slowdown": JOBS * 2.0}
            )  # fmt: skip
    return workloads, pl.DataFrame(scenarios), pl.DataFrame(spans)


def relations(results):
    return {
        (row["scheduler"], row["other"]): row["relation"] for row in results["paired_hpc_memory"].iter_rows(named=True)
    }


def test_measures_are_ratios_of_sums_with_intervals_around_them():
    result = intervals.tables(*world(unlimited=(0.8, 200.0), priority=(0.76, 250.0)))["steady_hpc_memory"]
    assert result.schema == tables.polars_schema(RESULTS["steady_hpc_memory"])
    row = result.row(by_predicate=pl.col("scheduler") == "priority", named=True)
    assert (row["blocks"], row["jobs"]) == (24, 24 * JOBS)
    assert row["loss"] == pytest.approx(0.05)
    assert row["response_ratio"] == pytest.approx(1.25)
    assert row["wait_ratio"] is None  # nobody waits with unlimited memory
    # What is common to both cancels out of what is paired, not out of the rest.
    assert row["loss_hi"] - row["loss_lo"] < 1e-9
    assert row["utilisation_lo"] < row["utilisation"] < row["utilisation_hi"]
    assert row["utilisation_hi"] - row["utilisation_lo"] > 0.005


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ((0.80, 200.0), (0.80, 200.0), "tie"),
        ((0.80, 200.0), (0.795, 204.0), "tie"),
        ((0.80, 200.0), (0.80, 300.0), "better"),  # as much utilisation, a third less response time
        ((0.80, 200.0), (0.77, 204.0), "better"),
        ((0.80, 300.0), (0.80, 200.0), "worse"),
        ((0.80, 300.0), (0.70, 200.0), "trade_off"),
    ],
)
def test_a_scheduler_is_judged_by_utilisation_and_response(one, other, relation):
    result = relations(intervals.tables(*world(unlimited=(0.8, 200.0), a=one, b=other)))
    opposite = {"better": "worse", "worse": "better"}
    assert result == {("a", "b"): relation, ("b", "a"): opposite.get(relation, relation)}


def test_an_interval_wider_than_the_margin_decides_nothing():
    workloads, scenarios, spans = world(unlimited=(0.8, 200.0), a=(0.80, 200.0), b=(0.795, 208.0))
    place = np.arange(len(spans))
    noise = 0.25 * (-1.0) ** (place + place // 24)  # where the one is faster than usual, the other is slower
    noisy = spans.with_columns(response_s=pl.col("response_s") * (1 + pl.Series(noise)))
    assert set(relations(intervals.tables(workloads, scenarios, noisy)).values()) == {"open"}
    few = intervals.tables(*world(blocks=4, unlimited=(0.8, 200.0), a=(0.8, 200.0), b=(0.8, 300.0)))
    assert relations(few)["a", "b"] == "better"  # of the estimates, and the row says that there was no interval
    assert few["paired_hpc_memory"]["response_difference_lo"].null_count() == 2


def test_schedulers_are_compared_on_the_blocks_that_all_were_run_on():
    workloads, scenarios, spans = world(unlimited=(0.8, 200.0), a=(0.8, 200.0), b=(0.8, 200.0))
    part = spans.filter((pl.col("scenario_id") != "b") | (pl.col("span") < 10))
    result = intervals.tables(workloads, scenarios, part)
    assert result["paired_hpc_memory"]["blocks"].unique().to_list() == [10]
    assert dict(result["steady_hpc_memory"].select("scheduler", "blocks").iter_rows())["b"] == 10


def test_only_the_default_parameters_are_looked_at_and_no_replays_give_empty_tables():
    workloads, scenarios, spans = world(unlimited=(0.8, 200.0), a=(0.8, 200.0))
    other = scenarios.with_columns(alpha=pl.lit(0.1))
    assert all(frame.is_empty() for frame in intervals.tables(workloads, other, spans).values())
    empty = intervals.tables(workloads.clear(), scenarios.clear(), spans.clear())
    assert empty["paired_hpc_memory"].schema == tables.polars_schema(RESULTS["paired_hpc_memory"])
