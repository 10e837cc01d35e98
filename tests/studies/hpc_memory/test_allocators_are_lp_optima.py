"""Priority and Stochastic give the memory away as well as a linear program does (Theorems 1 and 2)."""

from itertools import pairwise
from random import Random

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog

from pipeline.studies import hpc_memory
from pipeline.studies.hpc_memory import filling, rules

INSTANCES = 300


def instance(seed):
    """Jobs (nodes, {memory_gb per node: share}) and the machine's memory, from far too little to plenty."""
    rng = Random(seed)
    jobs = []
    for _ in range(rng.randint(1, 8)):
        levels = sorted({rng.choice((rng.uniform(0.5, 100.0), float(rng.randint(0, 8)))) for _ in range(5)})
        weights = [rng.random() for _ in levels]
        jobs.append((rng.randint(1, 23), {x: w / sum(weights) for x, w in zip(levels, weights, strict=True)}))
    wanted = sum(nodes * max(profile) for nodes, profile in jobs)
    return jobs, wanted * rng.choice((0.0, 0.02, 0.1, 0.3, 0.6, 0.9, 1.0, 1.5))


def targets(scheduler, jobs, memory_gb, *, with_profiles, largest_by="memory"):
    """GB by job, in the order of `jobs`. Each job's phases are its levels, first one first."""
    key = {"workload_id": pl.String, "job_id": pl.Int64}
    job_rows = [("w", k, 0.0, nodes, None) for k, (nodes, _) in enumerate(jobs)]
    levels = [("w", k, j, x, p) for k, (_, law) in enumerate(jobs) for j, (x, p) in enumerate(law.items())]
    job_schema = key | {"submit_s": pl.Float64, "nodes": pl.Int64, "walltime_s": pl.Float64}
    level_schema = key | {"phase": pl.Int64, "memory_gb": pl.Float64, "probability": pl.Float64}
    job_table = pl.DataFrame(job_rows, schema=job_schema, orient="row")
    level_table = pl.DataFrame(levels, schema=level_schema, orient="row")
    phases = level_table.select("workload_id", "job_id", "phase", "memory_gb", duration_s=100 * pl.col("probability"))
    profiles = level_table.drop("phase") if with_profiles else None
    result = hpc_memory.targets(scheduler, job_table, phases, profiles, memory_gb, largest_by=largest_by)
    assert result.height == len(jobs)
    return result.sort("job_id")["target_gb"].to_list()


def stochastic_optimum(jobs, memory_gb):
    """Maximum of sum p_ik c_i s_ik over s_ik <= 1, s_ik c_i x_ik <= M_i, sum of M_i <= M."""
    n = len(jobs)
    cells = [(i, nodes * x, nodes * p) for i, (nodes, law) in enumerate(jobs) for x, p in law.items()]
    worth = np.concatenate([np.zeros(n), [-value for _, _, value in cells]])
    limits = np.zeros((len(cells) + 1, n + len(cells)))
    limits[0, :n] = 1
    for row, (i, need, _) in enumerate(cells, start=1):
        limits[row, i] = -1
        limits[row, n + row - 1] = need
    bounds = [(0, None)] * n + [(0, 1)] * len(cells)
    result = linprog(worth, A_ub=limits, b_ub=[memory_gb] + [0] * len(cells), bounds=bounds, method="highs")
    assert result.success
    return -result.fun


def priority_optimum(needs, memory_gb):
    """Maximum of sum c_i s_i over s_i <= 1 and sum of s_i c_i x_i <= M; needs = [(c_i, x_i)]."""
    worth = [-nodes for nodes, _ in needs]
    limits = [[nodes * x for nodes, x in needs]]
    result = linprog(worth, A_ub=limits, b_ub=[memory_gb], bounds=[(0, 1)] * len(needs), method="highs")
    assert result.success
    return -result.fun


def share(target, need):
    return 1.0 if need == 0 else min(1.0, target / need)


@pytest.mark.slow
def test_priority_maximises_the_throughput_of_the_current_phases():
    for seed in range(INSTANCES):
        jobs, memory_gb = instance(seed)
        result = targets("priority", jobs, memory_gb, with_profiles=bool(seed % 2))
        needs = [(nodes, next(iter(law))) for nodes, law in jobs]
        assert sum(result) <= memory_gb * (1 + 1e-12)
        assert all(0 <= t <= nodes * x * (1 + 1e-12) for t, (nodes, x) in zip(result, needs, strict=True))
        value = sum(nodes * share(t, nodes * x) for t, (nodes, x) in zip(result, needs, strict=True))
        assert value == pytest.approx(priority_optimum(needs, memory_gb), rel=1e-9, abs=1e-9), seed


@pytest.mark.slow
def test_stochastic_maximises_the_expected_throughput():
    for seed in range(INSTANCES):
        jobs, memory_gb = instance(seed)
        result = targets("stochastic", jobs, memory_gb, with_profiles=bool(seed % 2))
        assert sum(result) <= memory_gb * (1 + 1e-12)
        assert all(0 <= t <= nodes * max(law) * (1 + 1e-12) for t, (nodes, law) in zip(result, jobs, strict=True))
        value = sum(
            nodes * p * share(t, nodes * x)
            for t, (nodes, law) in zip(result, jobs, strict=True)
            for x, p in law.items()
        )
        assert value == pytest.approx(stochastic_optimum(jobs, memory_gb), rel=1e-9, abs=1e-9), seed


@pytest.mark.slow
def test_memory_is_left_over_only_when_nobody_wants_it():
    for seed in range(INSTANCES):
        jobs, memory_gb = instance(seed)
        asked = {
            "priority": sum(nodes * next(iter(law)) for nodes, law in jobs),
            "stochastic": sum(nodes * max(law) for nodes, law in jobs),
        }
        asked |= dict.fromkeys(("oldest_first", "largest_first"), asked["priority"])
        for scheduler, wanted in asked.items():
            given = sum(targets(scheduler, jobs, memory_gb, with_profiles=True))
            assert given == pytest.approx(min(wanted, memory_gb), rel=1e-9), (seed, scheduler)


def test_heuristics_serve_in_their_order():
    """Oldest, largest by memory (c·x) and largest by nodes first, each until memory is exhausted."""
    jobs = [(4, {5.0: 1.0}), (2, {20.0: 1.0}), (8, {1.0: 1.0})]  # asks for 20, 40 and 8 GB
    assert targets("oldest_first", jobs, 30.0, with_profiles=False) == [20, 10, 0]
    assert targets("largest_first", jobs, 50.0, with_profiles=False) == [10, 40, 0]
    assert targets("largest_first", jobs, 30.0, with_profiles=False, largest_by="nodes") == [20, 2, 8]
    assert targets("priority", jobs, 30.0, with_profiles=False) == [20, 2, 8]


def test_where_memory_was_exhausted_before_changes_no_target():
    rng = Random(3)
    for _ in range(300):
        count = rng.randint(1, 12)
        levels = [sorted(rng.uniform(1, 100) for _ in range(rng.randint(0, 5))) for _ in range(count)]
        first = np.cumsum([0, *map(len, levels)])
        # Any order that does not decrease within a job.
        place = np.array(rng.sample(range(3 * first[-1] + 1), first[-1]), np.int64)
        for a, b in pairwise(first):
            place[a:b].sort()
        level_gb = np.array([gb for job_levels in levels for gb in job_levels])
        nothing, slots, wanted = (
            np.zeros(count),
            np.arange(count),
            sum(job_levels[-1] for job_levels in levels if job_levels),
        )
        workload = rules.Workload(
            nothing, slots, nothing, nothing, first, nothing, nothing, first, level_gb, level_gb, level_gb, nothing,
            place, nothing,
        )  # fmt: skip
        memory_gb = wanted * rng.choice((0.0, 0.1, 0.5, 0.9, 1.0, 1.2))
        machine = rules.Machine(100, memory_gb, 0.5, 1.0, 0, 0, False, 0)
        state = rules.State(
            0.0, -1, memory_gb, 0, slots, slots[:0], slots, slots, nothing, nothing, nothing, nothing, nothing, nothing
        )
        reached = []
        for exhausted_at in (0, *(rng.randint(0, len(place)) for _ in range(4))):
            target, before = np.empty(count), np.zeros(16)
            before[0] = exhausted_at
            room = rules.Room(before, np.zeros((count, 8)), np.zeros((count, 8)), np.zeros((2, count), np.int64))
            filling.levels(state, workload, machine, room, target)
            reached.append(target)
        for other in reached[1:]:
            assert other == pytest.approx(reached[0], rel=1e-9, abs=1e-9)
