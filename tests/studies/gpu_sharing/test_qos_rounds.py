"""Rounds of resizing and the fewest SMs for a target, compared with the thesis' numbers and plain reference code."""

import itertools
import math

import numpy as np
import pytest
from gpu_sharing_cases import one_scenario

from pipeline.studies.gpu_sharing.model import asking, qos
from pipeline.studies.gpu_sharing.schedulers import dynamic_linear, profile_minimum

SHA1 = {0: 0, 1: 18, 8: 144, 9: 162, 10: 180, 12: 216, 15: 270, 21: 380, 30: 400}
"""A curve with the values that make Figure 11's path: 160 IPC, from 30 SMs."""


def curve(points: dict[int, float], S: int = 30) -> np.ndarray:
    return np.interp(np.arange(S + 1), list(points), list(points.values()))


def of_slots(isolated, target, S, gamma, pressure, qos_slots, gives):
    k = len(isolated)
    target = np.where(np.isin(np.arange(k), range(k) if qos_slots is None else qos_slots), np.asarray(target, float), 0)
    return one_scenario(isolated, S=S, gamma=gamma, pressure=pressure, target=target, gives_spare=np.array([gives]))


def one(
    isolated, target, *, S=30, midpoint=False, from_all=False, gamma=None, pressure=None, qos_slots=None, gives=False
):
    """Rounds of one scenario with a slot per curve: (SMs, throughput), each of shape (rounds, slots)."""
    k = len(isolated)
    batch = of_slots(isolated, target, S, gamma, pressure, qos_slots, gives)
    batch = batch._replace(midpoint=np.array([midpoint]))
    _, begin, held, throughput, _ = resized(batch, from_all)
    assert begin.tolist() == [0, len(held)]
    return held.reshape(-1, k), throughput.reshape(-1, k)


def resized(batch, from_all=False, measures=None):
    """What `resize` gives of one scenario."""
    k = len(batch.curve)
    measures = np.empty((1, len(qos.ROUND_MEASURES))) if measures is None else measures
    return qos.resize(
        dynamic_linear.rule.compiled(), np.arange(1), batch, np.array([from_all]), np.zeros(k, np.int64), np.zeros(k),
        measures,
    )  # fmt: skip


def fewest(isolated, target, *, S=30, gamma=None, pressure=None, qos_slots=None, gives=False, by_profile=False):
    """SMs of each slot, and whether all targets are met by what the choice rests on."""
    batch = of_slots(isolated, target, S, gamma, pressure, qos_slots, gives)
    seen = batch._replace(known_gamma=np.zeros(len(isolated))) if by_profile else batch
    held = np.zeros(len(isolated), np.int64)
    asking.ask(profile_minimum.rule.compiled(), np.arange(1), seen, held)
    assert qos.complete(batch, np.arange(1), held) == -1
    throughput = qos.measure_all(seen._replace(gamma=seen.known_gamma), held)
    return held.tolist(), bool((throughput >= batch.target * (1 - 1e-12)).all())


@pytest.mark.parametrize(
    ("midpoint", "path"), [(False, [30, 12, 9]), (True, [30, 21, 15, 12, 10, 9])], ids=["linear", "midpoint"]
)
def test_sha1_at_160_ipc_goes_the_way_of_figure_11(midpoint, path):
    held, throughput = one(np.array([curve(SHA1)]), [160.0], midpoint=midpoint, from_all=True)
    assert held[:, 0].tolist() == path
    assert throughput[:, 0].tolist() == [SHA1[n] for n in path]


def test_a_linear_curve_starts_at_its_minimum_of_half_the_sms():
    isolated = np.arange(31.0)[None, :] * 7.3
    held, _ = one(isolated, isolated[:, 30] / 2)
    assert held.tolist() == [[15]]


def test_a_size_that_missed_is_not_entered_again():
    # A step above 10 SMs: from 15 the line says 10, which misses, and from 11 it would say 10 again.
    isolated = np.array([curve({0: 0, 10: 99, 11: 112, 15: 150.1, 30: 200})])
    held, throughput = one(isolated, [100.0])
    assert held[:, 0].tolist() == [15, 10, 11]
    assert throughput[-1, 0] >= 100


def test_the_midpoint_is_never_below_what_is_needed_nor_a_longer_way_down_than_halves():
    random = np.random.default_rng(5)
    for _ in range(200):
        isolated = random_curves(random, 1)
        target = isolated[:, 30] * random.uniform(0.2, 0.5)
        held, throughput = one(isolated, target, midpoint=True, from_all=True)
        for n, after, measured in zip(held[:-1, 0], held[1:, 0], throughput[:-1, 0], strict=True):
            if measured >= target[0]:
                assert after >= math.ceil(target[0] * n / measured - 1e-9)
                assert after >= (n + 1) // 2 or after == math.ceil(target[0] * n / measured - 1e-9)


def random_curves(random, count, S=30):
    """Curves that never fall, some with steps."""
    steps = random.exponential(size=(count, S)) * (random.random((count, S)) < random.uniform(0.3, 1.0))
    steps[:, 0] += 0.1
    return np.concatenate([np.zeros((count, 1)), np.cumsum(steps, axis=1)], axis=1)


def slow_rounds(isolated, target, S, midpoint, from_all, gamma, pressure):
    """Section 5.4 again, with lists and sets: every application has a target."""
    k = len(isolated)
    n = [S // k if from_all else S // max(2, k)] * k
    if from_all:
        n[-1] += S % k
    missed = [set() for _ in range(k)]
    history = []
    while True:
        measured = [
            isolated[i][n[i]] / (1 + gamma[i] * sum(pressure[j] * n[j] for j in range(k) if j != i)) for i in range(k)
        ]
        history.append(list(n))
        after = list(n)
        content = [measured[i] >= target[i] * (1 - 1e-12) for i in range(k)]
        for i in range(k):
            if not content[i]:
                missed[i].add(n[i])
        for i in [i for i in range(k) if content[i]]:
            need = max(1, math.ceil(target[i] * n[i] / measured[i] - 1e-9))
            wanted = max(need, (n[i] + need) // 2) if midpoint else need
            allowed = [m for m in range(wanted, n[i]) if m not in missed[i]]
            after[i] = allowed[0] if allowed else n[i]
        for i in [i for i in range(k) if not content[i]]:
            reach = S - sum(after) + after[i]
            wanted = max(n[i] + 1, math.ceil(target[i] * n[i] / measured[i] - 1e-9)) if measured[i] else S + 1
            above = [m for m in range(wanted, reach + 1) if m not in missed[i]]
            below = [m for m in range(n[i] + 1, min(wanted, reach + 1)) if m not in missed[i]]
            after[i] = above[0] if above else below[-1] if below else n[i]
        if after == n:
            return history
        n = after


@pytest.mark.parametrize("k", [1, 2, 3])
def test_rounds_are_those_of_a_slow_reference(k):
    random = np.random.default_rng(k)
    for _ in range(150):
        S = int(random.integers(2 * k, 31))
        isolated = random_curves(random, k, S)
        target = isolated[:, S] * random.uniform(0.3, 0.7, k)
        gamma, pressure = random.uniform(0, 0.05, k), random.uniform(0, 1, k)
        options = {"midpoint": bool(random.integers(2)), "from_all": bool(random.integers(2))}
        held, _ = one(isolated, target, S=S, gamma=gamma, pressure=pressure, **options)
        assert held.tolist() == slow_rounds(isolated, target, S, gamma=gamma, pressure=pressure, **options)


def test_it_ends_with_a_target_met_where_there_are_enough_sms_and_a_curve_is_smooth():
    random = np.random.default_rng(11)
    n = np.arange(31)
    for _ in range(200):
        h = random.uniform(0.05, 20)
        isolated = (n / 30 * (1 + h) / (n / 30 + h))[None, :]
        target = [random.uniform(0.1, 1.0)]
        held, throughput = one(isolated, target, midpoint=bool(random.integers(2)))
        assert throughput[-1, 0] >= target[0] * (1 - 1e-12)
        # Of a concave curve the line never goes below the minimum, so that nothing is missed on the way down.
        least = int(np.argmax(isolated[0] >= target[0] * (1 - 1e-12)))
        assert held[-1, 0] >= least


@pytest.mark.parametrize("k", [1, 2])
def test_least_is_the_fewest_of_all_allocations(k):
    random = np.random.default_rng(20 + k)
    seen = set()
    for _ in range(150):
        S = int(random.integers(2 * k, 16))
        isolated = random_curves(random, k + 1, S)
        target = isolated[:, S] * random.uniform(0.2, 1.2, k + 1)
        gamma, pressure = random.uniform(0, 0.1, k + 1), random.uniform(0, 1, k + 1)
        gives, by_profile = bool(random.integers(2)), bool(random.integers(2))
        held, feasible = fewest(isolated, target, S=S, gamma=gamma, pressure=pressure, qos_slots=range(k), gives=gives,
                                by_profile=by_profile)  # fmt: skip
        ranked = []
        for sizes in itertools.product(range(1, S + 1), repeat=k):
            if sum(sizes) > S:
                continue
            n = [*sizes, S - sum(sizes) if gives else 0]
            slow = [0.0 if by_profile else gamma[i] for i in range(k)]
            reached = [
                isolated[i][n[i]] / (1 + slow[i] * sum(pressure[j] * n[j] for j in range(k + 1) if j != i)) / target[i]
                for i in range(k)
            ]
            ranked.append((min(reached) < 1 - 1e-12, sum(sizes), sizes, min(reached), n))
        good = [entry for entry in ranked if not entry[0]]
        seen.add(bool(good))
        assert feasible == bool(good)
        best = min(good) if good else min(ranked, key=lambda entry: (-entry[3], entry[1], entry[2]))
        assert held == best[4]
    assert seen == {True, False}


def test_every_sm_is_someones_or_spare():
    random = np.random.default_rng(3)
    for gives in (False, True):
        for _ in range(50):
            isolated = random_curves(random, 4)
            target = isolated[:, 30] * random.uniform(0.1, 0.4, 4)
            held, throughput = one(isolated, target, qos_slots=[1, 3], gives=gives, gamma=[0.01] * 4)
            assert (held.sum(axis=1) == 30).all() if gives else (held[:, [0, 2]] == 0).all()
            assert (held[:, 2] - held[:, 0] == (held[:, 0] + held[:, 2]) % 2).all()
            alone = isolated[np.arange(4), held]
            beside = 1 + 0.01 * (held.sum(axis=1, keepdims=True) - held)
            assert throughput == pytest.approx(alone / beside)


def test_jpeg_needs_one_more_beside_a_second_copy():
    """Figure 12b's mechanism: the same target costs more SMs beside another application."""
    isolated = np.repeat((np.arange(31.0) * 10)[None, :], 2, axis=0)
    alone, _ = fewest(isolated[:1], [110.0])
    beside, _ = fewest(isolated, [110.0, 110.0], gamma=[0.005, 0.005])
    assert (alone, beside) == ([11], [12, 12])
    held, _ = one(isolated, [110.0, 110.0], gamma=[0.005, 0.005])
    assert held[-1].tolist() == [12, 12]


def test_where_nothing_runs_on_what_there_is_the_fewest_sms_are_held():
    """All allocations are as bad, so of these the smallest, and of as small ones the first."""
    isolated = np.array([[0.0] * 4 + [5.0], [0.0] * 4 + [7.0]])
    assert fewest(isolated, [5.0, 7.0], S=4) == ([1, 1], False)
