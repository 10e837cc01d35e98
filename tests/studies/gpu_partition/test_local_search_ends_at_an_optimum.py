"""Local search ends where no step is better, or where the partitions fit; not one step earlier or later."""

from random import Random

import numpy as np
import pytest
from gpu_partition_cases import metrics_of, random_tasks, scenario_table, task_table
from gpu_partition_slow import Options

from pipeline.studies import gpu_partition
from pipeline.studies.gpu_partition import model
from pipeline.studies.gpu_partition.rules import Allocation, Gpu, Tasks
from pipeline.studies.gpu_partition.schedulers import local_search

SIZES = np.arange(1, 40)
BUDGET = 10**6


def gpu_of(available):
    return Gpu(available, SIZES, SIZES, available, available, False, model.EDF, np.zeros(3, np.int64))


def alone(rng, n):
    """Random tasks, each on a partition of its own of the least size it holds on: where, size and what they are."""
    T = np.array([rng.uniform(10, 1000) for _ in range(n)])
    work = T * np.array([rng.uniform(0.3, 3) for _ in range(n)])
    kind = np.array([rng.randint(0, 1) for _ in range(n)])
    beta, factor = np.where(kind, 0.1, 0.02), np.where(kind, 2.3, 1.2)
    tasks = Tasks(work, beta, factor, kind, T, T, np.zeros(n, np.int64))
    least = [model.least_size(tasks, gpu_of(39), np.array([i]), 0, len(SIZES), True) for i in range(n)]
    return np.arange(n), np.array(least), tasks


def mended(where, size, available, tasks):
    allocation = Allocation(where.copy(), size.copy(), np.full(2, -1))
    local_search.mend(tasks, gpu_of(available), allocation, BUDGET)
    where, size = allocation.partition, allocation.size
    return where, size, allocation.counts[model.MOVES], int(SIZES[size[np.unique(where)]].sum())


# The last two need a second round: a step opens another for tasks that were looked at before it.
@pytest.mark.parametrize(("seed", "n"), [*((seed, 9) for seed in range(8)), (19, 9), (37, 20)])
def test_no_step_is_left_and_each_was_needed(seed, n):
    where, size, tasks = alone(Random(seed), n)
    used = int(SIZES[size].sum())
    best = mended(where, size, 0, tasks)
    assert best[2] > 0
    assert best[3] <= used
    # From where it ended there is no better step.
    assert mended(best[0], best[1], 0, tasks)[2:] == (0, best[3])
    # What fits already is left alone; with as much room as was used in the end it goes as far as it has to.
    assert mended(where, size, used, tasks)[2:] == (0, used)
    enough = mended(where, size, best[3], tasks)
    assert enough[3] == best[3]
    assert enough[2] <= best[2]


def test_no_size_is_tried_where_there_is_no_room():
    _, size, tasks = alone(Random(1), 20)
    light = np.flatnonzero(size == 0)[:1]
    assert len(light) == 1
    asked = gpu_of(0)
    assert local_search._least(tasks, asked, light, 0) == (local_search.NO_SIZE, 0.0)
    assert asked.asked[model.TESTS] == 0
    assert local_search._least(tasks, asked, light, 1)[0] == 0


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
