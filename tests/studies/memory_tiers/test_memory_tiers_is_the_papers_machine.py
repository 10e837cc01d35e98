"""Without local memory and where nobody waits for the pool, the machine is hpc_memory's: the same starts and ends."""

from pathlib import Path
from random import Random

import polars as pl
import pytest
from memory_tiers_cases import random_jobs, scenario, tables
from memory_tiers_slow import Machine
from polars.testing import assert_frame_equal

from pipeline import config
from pipeline.stages import ingest
from pipeline.studies import hpc_memory, memory_tiers

NODES = 6
DROP = Path(__file__).parents[3] / "traces" / "lanl_cm5"
QUEUES = [
    {"backfilling": "easy"},
    {"backfilling": "fcfs"},
    {"backfilling": "reserve", "reserve_depth": 0},
    {"backfilling": "reserve", "reserve_depth": 3},
    {"backfilling": "reserve", "reserve_depth": -1},
]


def of_both(inputs, machines, queue, ours, theirs, **more):
    """Starts and ends of the two studies on the same workloads, machines by workload."""
    rows = [scenario(name, name, ours, machine) | queue | more for name, machine in machines.items()]
    tier_outcomes = memory_tiers.replay(inputs, pl.DataFrame(rows))["outcomes"]
    same = [
        {name: row[name] for name in ("scenario_id", "workload_id", "nodes", "alpha", "tau_s", *queue)}
        | {"scheduler": theirs, "memory_gb": machines[row["workload_id"]].pool}
        for row in rows
    ]
    other = hpc_memory.replay(inputs, pl.DataFrame(same, schema_overrides={"memory_gb": pl.Float64}))["outcomes"]
    return (each.select("scenario_id", "job_id", "start_s", "end_s") for each in (tier_outcomes, other))


@pytest.fixture(scope="module")
def cases():
    rng = Random(11)
    jobs = {f"w{k}": random_jobs(rng, NODES, rng.randint(1, 16)) for k in range(150)}
    machines = {name: Machine(NODES, 0, NODES * rng.choice((0.5, 1, 2)), rng.choice((0.03, 0.25))) for name in jobs}
    return tables(jobs), machines


@pytest.mark.parametrize("queue", QUEUES, ids=lambda queue: " ".join(map(str, queue.values())))
@pytest.mark.parametrize("tau_s", [0.0, 1.0, 2.5])
@pytest.mark.parametrize("scheduler", ["priority", "oldest_first"])
def test_the_papers_schedulers_give_the_same_bits(scheduler, tau_s, queue, cases):
    ours, theirs = of_both(*cases, queue, scheduler, scheduler, tau_s=tau_s, sensitivity_scale=0.0)
    assert ours.equals(theirs)
    local, _ = of_both(*cases, queue, "all_local", "unlimited")
    assert not ours.equals(local)


@pytest.mark.parametrize("queue", QUEUES, ids=lambda queue: " ".join(map(str, queue.values())))
@pytest.mark.parametrize("scheduler", ["all_local", "static_pool", "static_used", "dynamic_pool"])
def test_where_the_pool_is_never_short_all_are_unlimited(scheduler, queue, cases):
    inputs, machines = cases
    much = {name: Machine(NODES, 0, 1000 * NODES, machine.alpha) for name, machine in machines.items()}
    ours, theirs = of_both(inputs, much, queue, scheduler, "unlimited", sensitivity_scale=0.0)
    assert ours.equals(theirs)


@pytest.mark.parametrize("queue", [QUEUES[0], QUEUES[3]], ids=["easy", "reserve 3"])
def test_a_log_of_a_real_machine_gives_the_same_starts_and_ends(queue, tmp_path):
    """Jobs of the CM-5 of Los Alamos that ship with the project, with less memory than they use."""
    ingest.ingest(DROP, tmp_path)
    read = {path.stem: pl.read_parquet(path) for path in tmp_path.glob("*.parquet")}
    made = memory_tiers.workloads(config.Configuration(), read)
    jobs = made["jobs"].with_columns(pl.col("walltime_s").fill_null(1800.0))
    inputs = {"jobs": jobs, "phases": made["phases"]}
    (name,) = jobs["workload_id"].unique()
    machines = {name: Machine(1024, 0, 1024 * 0.006, 0.03)}
    ours, theirs = of_both(inputs, machines, queue, "priority", "priority", tau_s=1.0, sensitivity_scale=0.0)
    assert_frame_equal(ours, theirs, rel_tol=0, abs_tol=1e-6)
    local, _ = of_both(inputs, machines, queue, "all_local", "unlimited")
    assert (ours["end_s"] > local["end_s"] + 60).sum() > 1000
