"""Splits and assignments of SMs with frequencies of their own, compared with brute force and laws."""

import itertools

import numpy as np
import pytest
from gpu_sharing_cases import one_scenario

from pipeline.studies.gpu_sharing.model import asking, sm_map, variation
from pipeline.studies.gpu_sharing.schedulers import even_split, profile

RANDOM_SEED = 17


def curves(random, count, S):
    """Concave curves through 0: IPC on 0..S SMs."""
    n, h = np.arange(S + 1) / S, random.uniform(0.05, 20, (count, 1))
    return random.uniform(50, 1000, (count, 1)) * n * (1 + h) / (n + h)


def run(isolated, frequency, *, speedup=None, by_curve=None, per_sm=True, slow_first=False, by_profile=False,
        gamma=None, pressure=None, compute=None):  # fmt: skip
    """One scenario: SMs, mean clock and throughput of each slot, one per curve."""
    k, S = len(isolated), isolated.shape[1] - 1
    speedup = np.full(k, 1.4) if speedup is None else np.asarray(speedup, float)
    batch = one_scenario(
        isolated, gamma=gamma, pressure=pressure, clock_speedup=speedup, clock_row=np.array([int(per_sm)]),
        clock=np.array([np.ones(S), frequency]),
    )  # fmt: skip
    held = np.zeros(k, np.int64)
    scheduler = profile if by_profile else even_split
    asking.ask(scheduler.rule.compiled(), np.arange(1), batch, held)
    clock, throughput = variation.run_split(
        batch, held, np.array([slow_first]), speedup >= 1.3 if compute is None else np.asarray(compute),
        np.zeros(k, bool) if by_curve is None else np.full(k, by_curve),
    )  # fmt: skip
    return held, clock, throughput


def fastest_first(random, S):
    return np.sort(sm_map.rescaled(*[random.random(S)] * 2))[::-1].copy()


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_profile_is_the_best_of_all_splits(k):
    random = np.random.default_rng(k)
    for _ in range(60):
        S = int(random.integers(k, 15))
        isolated = curves(random, k, S)
        if random.random() < 0.3:
            isolated = isolated[:1].repeat(k, axis=0)  # ties by symmetry
        held, _, _ = run(isolated, np.ones(S), by_profile=True)
        splits = [n for n in itertools.product(range(1, S + 1), repeat=k) if sum(n) == S]
        values = [sum(isolated[i, n[i]] / isolated[i, S] for i in range(k)) for n in splits]
        best = max(values)
        assert tuple(held) == min(n for n, value in zip(splits, values, strict=True) if value >= best * (1 - 1e-12))


def test_even_split_gives_the_remainder_one_each_to_the_last():
    held, _, _ = run(np.ones((4, 31)), np.ones(30))
    assert held.tolist() == [7, 7, 8, 8]
    held, _, _ = run(np.ones((5, 16)), np.ones(15))
    assert held.tolist() == [3, 3, 3, 3, 3]


def test_at_one_clock_the_throughput_is_that_of_the_curve():
    random = np.random.default_rng(RANDOM_SEED)
    isolated = curves(random, 3, 12)
    for by_curve in (False, True):
        held, clock, throughput = run(isolated, fastest_first(random, 12), per_sm=False, by_curve=by_curve)
        assert clock.tolist() == [1, 1, 1]
        assert throughput == pytest.approx(isolated[[0, 1, 2], held])


@pytest.mark.parametrize("by_curve", [False, True])
@pytest.mark.parametrize("by_profile", [False, True])
def test_per_sm_clocks_are_never_slower_than_one_clock_for_the_same_split(by_curve, by_profile):
    random = np.random.default_rng(RANDOM_SEED)
    for _ in range(100):
        k = int(random.integers(1, 5))
        isolated, frequency = curves(random, k, 30), fastest_first(random, 30)
        options = {"speedup": random.uniform(1, 1.4, k), "by_curve": by_curve, "by_profile": by_profile,
                   "gamma": random.uniform(0, 0.02, k), "slow_first": bool(random.integers(2))}  # fmt: skip
        held, _, own = run(isolated, frequency, **options)
        same, _, one = run(isolated, frequency, per_sm=False, **options)
        assert held.tolist() == same.tolist()
        assert (own >= one * (1 - 1e-12)).all()


def test_all_sms_at_1_4_give_the_stated_speedup():
    isolated = curves(np.random.default_rng(2), 1, 30)
    _, clock, throughput = run(isolated, np.full(30, 1.4), speedup=[1.23])
    assert clock[0] == pytest.approx(1.4)
    assert throughput[0] == pytest.approx(1.23 * isolated[0, 30])


def test_of_the_curve_an_sm_at_1_4_is_worth_1_4_sms():
    isolated = np.array([[0.0, 10, 18, 24, 28, 30]])
    _, _, throughput = run(isolated, np.array([1.4, 1.3, 1.1, 1.0, 1.0]), by_curve=True)
    assert throughput[0] == pytest.approx(30 + 0.8 * 2)  # along the last segment: 2 an SM
    assert variation.beyond(isolated[0], 5, 3.25) == pytest.approx(25.0)
    falling = np.array([0.0, 10, 9])
    assert variation.beyond(falling, 2, 2.6) == 9


def assigned(isolated, held, frequency, speedup, places):
    """Throughput of each slot with `places` saying whose each SM is."""
    total = []
    for i in range(len(isolated)):
        mean = np.mean([f for f, owner in zip(frequency, places, strict=True) if owner == i])
        total.append(isolated[i, held[i]] * (1 + (speedup[i] - 1) * (mean - 1) / 0.4))
    return np.array(total)


def test_cfms_is_the_best_and_csmf_the_worst_of_all_assignments_of_twins():
    """Of two applications that differ in sensitivity only, on equally many SMs: what CFMS is for."""
    random = np.random.default_rng(RANDOM_SEED)
    for _ in range(30):
        isolated = curves(random, 1, 8).repeat(2, axis=0)
        frequency, speedup = fastest_first(random, 8), random.uniform(1, 1.4, 2)
        sums = [
            assigned(isolated, [4, 4], frequency, speedup, places).sum()
            for places in set(itertools.permutations([0] * 4 + [1] * 4))
        ]
        _, _, fast = run(isolated, frequency, speedup=speedup)
        _, _, slow = run(isolated, frequency, speedup=speedup, slow_first=True)
        assert fast.sum() == pytest.approx(max(sums))
        assert slow.sum() == pytest.approx(min(sums))


def test_blocks_are_the_better_of_all_assignments_where_work_an_sm_and_sensitivity_agree():
    random = np.random.default_rng(RANDOM_SEED)
    for _ in range(30):
        isolated, frequency = curves(random, 3, 7), fastest_first(random, 7)
        held, _, _ = run(isolated, frequency, by_profile=True)
        gain = isolated[np.arange(3), held] / isolated[:, 7] / held
        speedup = 1 + 0.4 * gain / gain.max()  # what an SM adds with its clock grows with sensitivity
        _, _, fast = run(isolated, frequency, speedup=speedup, by_profile=True)
        owners = [i for i in range(3) for _ in range(held[i])]
        best = max(
            (assigned(isolated, held, frequency, speedup, places) / isolated[:, 7]).sum()
            for places in set(itertools.permutations(owners))
        )
        assert (fast / isolated[:, 7]).sum() == pytest.approx(best)


def test_compute_bound_ones_go_first_then_the_more_sensitive_then_the_first_slot():
    isolated, frequency = np.ones((4, 9)), np.linspace(1.4, 1.0, 8)
    speedup, compute = [1.35, 1.38, 1.38, 1.31], [False, True, True, True]
    _, clock, _ = run(isolated, frequency, speedup=speedup, compute=compute)
    assert np.argsort(-clock).tolist() == [1, 2, 3, 0]
    _, clock, _ = run(isolated, frequency, speedup=speedup, compute=compute, slow_first=True)
    assert np.argsort(-clock).tolist() == [0, 3, 2, 1]


def test_contention_is_that_of_the_others_sms():
    isolated = curves(np.random.default_rng(1), 2, 10)
    _, _, alone = run(isolated, np.ones(10))
    _, _, beside = run(isolated, np.ones(10), gamma=[0.02, 0.0], pressure=np.array([1.0, 0.5]))
    assert beside == pytest.approx(alone / [1 + 0.02 * 0.5 * 5, 1.0])
