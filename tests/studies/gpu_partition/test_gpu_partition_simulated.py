"""Partitions that are accepted keep all deadlines when they are simulated over a hyperperiod."""

from itertools import product

import numpy as np
import polars as pl
import pytest

from pipeline.studies import gpu_partition
from pipeline.studies.gpu_partition import generate, model
from pipeline.studies.gpu_partition.model import simulate

HYPERPERIOD = float(generate.HYPERPERIOD)
POLICY = {
    ("edf", "preemptive"): model.EDF,
    ("edf", "non_preemptive"): model.NON_PREEMPTIVE_EDF,
    ("dm", "preemptive"): model.DM,
    ("dm", "non_preemptive"): model.NON_PREEMPTIVE_DM,
}


def generated(sets, n, loads, seed):
    """Table of generated task sets, `sets` a load."""
    frames = []
    for load, number in product(loads, range(sets)):
        drawn = generate.task_set(np.random.default_rng([seed, int(load * 10), number]), n, load, 68)
        frames.append(
            pl.DataFrame(
                {
                    "taskset_id": [f"{load:g}/{number}"] * n,
                    "task_id": np.arange(n),
                    "kind": np.where(drawn["memory"], "memory", "compute"),
                    **{name: drawn[name] for name in ("period", "deadline", "work")},
                }
            )
        )
    return pl.concat(frames)


@pytest.mark.slow
@pytest.mark.parametrize(("priority", "edf"), POLICY)
def test_no_deadline_is_missed_in_any_accepted_partition(priority, edf):
    tasks = generated(40, 24, (4, 10, 16, 22, 28, 34, 40), seed=1)
    sets = tasks["taskset_id"].unique(maintain_order=True)
    scenarios = pl.concat(
        sets.to_frame().with_columns(
            pl.format(f"{scheduler}/{{}}", "taskset_id").alias("scenario_id"),
            scheduler=pl.lit(scheduler),
            priority=pl.lit(priority),
            edf=pl.lit(edf),
        )
        for scheduler in ("sms", "bf", "one_gpu", "local_search")
    )
    result = gpu_partition.replay({"tasks": tasks}, scenarios)
    accepted = result["metrics"].filter((pl.col("metric") == "schedulable") & (pl.col("value") == 1))
    rows = (
        result["outcomes"]
        .join(accepted.select("scenario_id"), on="scenario_id", maintain_order="left")
        .join(scenarios.select("scenario_id", "taskset_id"), on="scenario_id", maintain_order="left")
        .join(tasks, on=["taskset_id", "task_id"], maintain_order="left")
    )
    assert rows["scenario_id"].n_unique() > 150
    rng = np.random.default_rng(0)
    simulated = 0
    for _, partition_rows in rows.group_by("scenario_id", "partition", maintain_order=True):
        C, T, D = (partition_rows[name].to_numpy() for name in ("execution_time", "period", "deadline"))
        for offset in (np.zeros(len(C)), rng.uniform(0, T)):
            until = HYPERPERIOD + offset.max()
            miss, longest = simulate.first_miss(C, T, D, offset, until, POLICY[priority, edf])
            assert miss == simulate.NO_MISS
            assert (longest <= D * (1 + 1e-9)).all()
            assert (longest >= C * (1 - 1e-9)).all()
        simulated += 1
    assert simulated > 1000


def test_deadlines_above_periods_hold_too():
    tasks = generated(30, 10, (4, 8, 12), seed=3).with_columns(deadline=pl.col("period") * 1.6)
    scenarios = pl.concat(
        tasks.select("taskset_id").unique(maintain_order=True).with_columns(
            pl.format(f"{scheduler} {{}}", "taskset_id").alias("scenario_id"), scheduler=pl.lit(scheduler),
            sms=pl.lit(14),
        )
        for scheduler in ("sms", "optimal")
    )  # fmt: skip
    result = gpu_partition.replay({"tasks": tasks}, scenarios)
    accepted = result["metrics"].filter((pl.col("metric") == "schedulable") & (pl.col("value") == 1))["scenario_id"]
    rows = result["outcomes"].filter(pl.col("scenario_id").is_in(accepted.implode()))
    rows = rows.join(scenarios, on="scenario_id").join(tasks, on=["taskset_id", "task_id"], maintain_order="left")
    assert len(accepted) > 40
    for _, partition_rows in rows.group_by("scenario_id", "partition", maintain_order=True):
        C, T, D = (partition_rows[name].to_numpy() for name in ("execution_time", "period", "deadline"))
        assert (C / T).sum() <= 1 + 1e-9
        miss, _ = simulate.first_miss(C, T, D, np.zeros(len(C)), 3 * HYPERPERIOD, model.EDF)
        assert miss == simulate.NO_MISS


def test_what_a_simulation_finds_missed_was_not_accepted():
    # The test is exact: with one SM less than found, a union misses a deadline when its tasks are released together.
    tasks = generated(30, 12, (6, 12), seed=2)
    result = gpu_partition.replay(
        {"tasks": tasks},
        tasks.select("taskset_id")
        .unique(maintain_order=True)
        .with_columns(scenario_id=pl.col("taskset_id"), scheduler=pl.lit("sms"), stop=pl.lit("exhaust")),
    )
    rows = result["outcomes"].join(tasks, left_on=["scenario_id", "task_id"], right_on=["taskset_id", "task_id"])
    shorter = 0
    for _, partition_rows in rows.group_by("scenario_id", "partition", maintain_order=True):
        m = int(partition_rows["partition_sms"][0])
        if m == 1 or len(partition_rows) == 1:
            continue
        # The smallest size that a union may have is that of the larger of the two it was made of; below it no law.
        C, T, D = (partition_rows[name].to_numpy() for name in ("execution_time", "period", "deadline"))
        fewer = C * m / (m - 1)  # scaled mode
        miss, _ = simulate.first_miss(fewer, T, D, np.zeros(len(C)), 2 * HYPERPERIOD, model.EDF)
        expected = model.SCHEDULABLE if miss == simulate.NO_MISS else 0
        assert model.qpa(fewer, T, D, model.TOLERANCE) == expected
        shorter += miss != simulate.NO_MISS
    assert shorter > 30
