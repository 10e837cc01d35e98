"""Algorithm 2 where the answer is a formula: with deadlines at the ends of periods EDF can use all of a partition."""

import math
from random import Random

import numpy as np

from pipeline.studies.gpu_partition import model
from pipeline.studies.gpu_partition.rules import Gpu, Tasks


def steps_of_bisection(low, high, answer):
    """Tests that a bisection of [low, high) makes until it knows the answer (`high`: none)."""
    tests = 0
    while low < high:
        middle = (low + high) // 2
        tests += 1
        low, high = (low, middle) if answer <= middle else (middle + 1, high)
    return tests


def test_linear_and_binary_search_find_what_the_utilisation_says_with_the_tests_it_takes():
    rng = Random(5)
    fitting = none = 0
    for _ in range(3000):
        n = rng.randint(2, 8)
        T = np.array([rng.uniform(10, 1000) for _ in range(n)])
        work = T * np.array([rng.uniform(0.1, 3) for _ in range(n)])
        kind = np.array([rng.randint(0, 1) for _ in range(n)])
        beta, factor = np.where(kind, 0.1, 0.02), np.where(kind, 2.3, 1.2)
        together = np.array([(kind == k).sum() > 1 for k in kind])
        load = (np.where(together, factor, 1.0) * (1 + beta) * work / T).sum()
        low = rng.randint(0, 20)
        high = rng.randint(low + 1, low + 25)
        # Sizes are 1, 2, 3 …: position s is of s + 1 SMs.
        answer = min(max(low, math.ceil(load * (1 - 1e-12)) - 1), high)
        sizes = np.arange(1, 80)
        tasks = Tasks(work, beta, factor, kind, T, T, np.zeros(n, np.int64))
        for binary in (False, True):
            gpu = Gpu(79, sizes, sizes, 79, 79, False, model.EDF, np.zeros(3, np.int64))
            position = model.least_size(tasks, gpu, np.arange(n), low, high, binary)
            tests = gpu.asked[model.TESTS]
            assert position == answer
            linear = answer - low + (answer < high)
            assert tests == (steps_of_bisection(low, high, answer) if binary else linear)
        fitting += answer < high
        none += answer == high
    assert min(fitting, none) > 500
