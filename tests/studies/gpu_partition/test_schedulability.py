"""Tests of schedulability against simulations, against each other, and by their laws."""

from random import Random

import gpu_partition_simulation as simulation
import numpy as np
import pytest
from gpu_partition_simulation import random_tasks

from pipeline.studies.gpu_partition import model, schedulability
from pipeline.studies.gpu_partition.model import fixed_priority, processor_demand, simulate
from pipeline.studies.gpu_partition.schedulability import (
    deadline_monotonic,
    edf_demand,
    edf_non_preemptive,
    edf_qpa,
)

TESTS = (edf_qpa, edf_demand, edf_non_preemptive, deadline_monotonic, lambda tasks: deadline_monotonic(tasks, False))


def scaled(tasks, by=1.1):
    """The same tasks in another unit of time, in which their numbers are no integers."""
    return [tuple(by * value for value in task) for task in tasks]


def test_preemptive_tests_say_what_a_simulation_shows():
    rng = Random(3)
    held = [0, 0]
    for _ in range(2500):
        tasks = random_tasks(rng)
        shown = simulation.preemptive(tasks, by_deadline=True)
        held[shown] += 1
        assert [edf_qpa(tasks), edf_demand(tasks), edf_qpa(scaled(tasks)), edf_demand(scaled(tasks))] == [shown] * 4
        shown = simulation.preemptive(tasks, by_deadline=False)
        assert [deadline_monotonic(tasks), deadline_monotonic(scaled(tasks))] == [shown] * 2, tasks
    assert min(held) > 500


def test_non_preemptive_tests_say_what_the_worst_offsets_show():
    rng = Random(5)
    held = [0, 0]
    for _ in range(1200):
        tasks = random_tasks(rng)
        shown = simulation.non_preemptive(tasks, by_deadline=True)
        held[shown] += 1
        assert [edf_non_preemptive(tasks), edf_non_preemptive(scaled(tasks))] == [shown] * 2, tasks
        if sum(c / t for c, t, _ in tasks) < 1 - 1e-9:
            shown = simulation.non_preemptive(tasks, by_deadline=False)
            assert [deadline_monotonic(tasks, False), deadline_monotonic(scaled(tasks), False)] == [shown] * 2, tasks
    assert min(held) > 300


def test_quick_analysis_agrees_with_the_scan_on_large_random_sets():
    rng = np.random.default_rng(11)
    held = [0, 0]
    for _ in range(4000):
        n = int(rng.integers(2, 30))
        T = rng.integers(10, 2000, n).astype(float)
        share = rng.dirichlet(np.ones(n)) * rng.uniform(0.8, 1.0)
        C, D = np.maximum(share * T, 1e-3), T * rng.uniform(0.2, 1.1, n)
        result = processor_demand.qpa(C, T, D, 1e-9)
        assert result == processor_demand.scan(C, T, D, 1e-9)
        held[result] += 1
    assert min(held) > 500


def test_the_bound_is_where_a_longer_look_finds_no_more():
    # A scan twice as far, of sets whose periods divide 4000.
    rng = np.random.default_rng(2)
    for _ in range(300):
        n = int(rng.integers(2, 6))
        T = rng.choice([50.0, 80.0, 100.0, 125.0, 200.0, 400.0], n)
        C = rng.dirichlet(np.ones(n)) * rng.uniform(0.7, 1) * T
        D = T * rng.uniform(0.5, 1.2, n)
        times = np.unique(np.concatenate([D[i] + T[i] * np.arange(8000 / T[i]) for i in range(n)]))
        missed = any(processor_demand.demand(t, C, T, D, 1e-9) > t * (1 + 1e-9) for t in times)
        assert processor_demand.qpa(C, T, D, 1e-9) == (not missed)


@pytest.mark.parametrize("test", TESTS)
def test_more_work_never_helps_and_a_subset_never_hurts(test):
    rng = Random(9)
    for _ in range(400):
        tasks = random_tasks(rng)
        if sum(c / t for c, t, _ in tasks) > 1 or not test(tasks):
            continue
        i = rng.randrange(len(tasks))
        assert test(tasks[:i] + tasks[i + 1 :])
        lighter = [(c * 0.9 if j == i else c, t, d) for j, (c, t, d) in enumerate(tasks)]
        assert test(lighter)


def test_edf_holds_whatever_fixed_priorities_hold_and_preemption_whatever_its_absence_does():
    rng = Random(1)
    for _ in range(1500):
        tasks = random_tasks(rng)
        assert not deadline_monotonic(tasks) or edf_qpa(tasks)
        assert not edf_non_preemptive(tasks) or edf_qpa(tasks)


@pytest.mark.parametrize(
    ("tasks", "qpa", "without_preemption"),
    [
        ([], True, True),
        ([(4, 4, 4)], True, True),
        ([(5, 4, 5)], False, False),
        ([(3, 10, 2)], False, False),
        # George, Rivierre, Spuri: blocking by the longest job of a later deadline.
        ([(1, 4, 4), (4, 100, 100)], True, False),
        ([(1, 4, 4), (3, 100, 100)], True, True),
        # Utilisation 1 with implicit deadlines: exactly what EDF can do.
        ([(1, 2, 2), (1, 3, 3), (1, 6, 6)], True, True),
        ([(1, 2, 2), (1, 3, 3), (1, 5, 5)], False, False),
    ],
)
def test_cases_by_hand(tasks, qpa, without_preemption):
    assert edf_qpa(tasks) == edf_demand(tasks) == qpa
    assert edf_non_preemptive(tasks) == without_preemption


def test_liu_and_laylands_pair_misses_under_fixed_priorities_and_holds_under_edf():
    tasks = [(2, 5, 5), (4, 7, 7)]  # utilisation 0.971, above 2 (sqrt 2 - 1)
    assert edf_qpa(tasks)
    assert not deadline_monotonic(tasks)


@pytest.mark.parametrize(
    ("task", "sentence"),
    [((1, 0, 1), "task 1: T is 0; it must be above 0"), ((-1, 2, 2), "task 1: C is -1; it must be at least 0"),
     ((1, 2, float("nan")), "task 1: D is nan"), ((1, 2), "task 1 has 2 numbers")],
)  # fmt: skip
def test_tasks_that_cannot_be_are_said(task, sentence):
    for test in (edf_qpa, edf_demand, edf_non_preemptive, deadline_monotonic):
        with pytest.raises(ValueError, match=sentence):
            test([(1, 2, 2), task])


def test_a_set_loaded_to_the_brim_with_an_endless_hyperperiod_does_not_hang():
    T = np.array([9973.0, 9967.0, 9949.0, 9941.0, 9931.0])
    C = T / 5
    # Utilisation 1 to the last bit or just below it; what is said is not wrong, and said soon.
    for policy in (processor_demand.qpa, processor_demand.scan):
        assert policy(C, T, T, 1e-9) in (processor_demand.SCHEDULABLE, processor_demand.UNDECIDED)
    try:
        assert schedulability.deadline_monotonic([(c, t, t + 20000) for c, t in zip(C, T, strict=True)]) in (
            True,
            False,
        )
    except RuntimeError as error:
        assert "not decided within" in str(error)


@pytest.mark.parametrize("policy", [model.EDF, model.DM])
def test_the_compiled_simulation_shows_what_the_plain_one_does(policy):
    rng = Random(20 + policy)
    seen = [0, 0]
    for _ in range(800):
        tasks = random_tasks(rng)
        if sum(c / t for c, t, _ in tasks) > 1:
            continue
        C, T, D = (np.array(column, float) for column in zip(*tasks, strict=True))
        until = 2 * np.lcm.reduce(T.astype(int)) + D.max()
        miss, longest = simulate.first_miss(C, T, D, np.zeros(len(C)), float(until), policy)
        shown = simulation.preemptive(tasks, policy == model.EDF)
        assert (miss == simulate.NO_MISS) == shown, tasks
        assert not shown or (longest <= D + 1e-9).all()
        seen[shown] += 1
    assert min(seen) > 50


def test_a_response_time_that_takes_too_many_steps_is_undecided(monkeypatch):
    end = getattr(fixed_priority._end, "py_func", fixed_priority._end)
    higher, C, T = np.array([0]), np.array([0.9, 1.0]), np.array([1.0, 100.0])
    assert end(0, 1, higher, 0.0, C, T, 1e-9, True) == pytest.approx(10)
    monkeypatch.setattr(fixed_priority, "STEPS", 5)
    assert end(0, 1, higher, 0.0, C, T, 1e-9, True) == -1
