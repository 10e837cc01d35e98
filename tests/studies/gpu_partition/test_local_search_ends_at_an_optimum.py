"""Local search ends where no step is better, or where the partitions fit; not one step earlier or later."""

from random import Random

import numpy as np
import pytest

from pipeline.studies.gpu_partition import assignment, merging, model

SIZES = np.arange(1, 40)
BUDGET = 10**6


def alone(rng, n):
    """Random tasks, each on a partition of its own of the least size it holds on: where, size and what they are."""
    T = np.array([rng.uniform(10, 1000) for _ in range(n)])
    work = T * np.array([rng.uniform(0.3, 3) for _ in range(n)])
    kind = np.array([rng.randint(0, 1) for _ in range(n)])
    beta, factor = np.where(kind, 0.1, 0.02), np.where(kind, 2.3, 1.2)
    tasks = (work, beta, factor, kind, T, T, False, model.EDF, np.zeros(1, np.int64))
    least = [merging.smallest_union(np.array([i]), 0, len(SIZES), SIZES, True, *tasks)[0] for i in range(n)]
    return np.arange(n), np.array(least), tasks


def mended(where, size, available, tasks):
    where, size, steps, _ = assignment.mend(where, size, SIZES, SIZES, available, BUDGET, *tasks)
    return where, size, steps, int(SIZES[size[size >= 0]].sum())


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
    assert assignment._least(light, 0, SIZES, SIZES, *tasks) == (-2, 0.0, 0)
    assert assignment._least(light, 1, SIZES, SIZES, *tasks)[0] == 0
