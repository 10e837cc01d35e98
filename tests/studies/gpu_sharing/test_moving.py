"""Three ways to free an SM, against a walk with one entry for each SM, written from docs/models/gpu_sharing.md."""

import numpy as np
import pytest
from test_qos_rounds import SHA1, curve, of_slots, resized

from pipeline.studies.gpu_sharing.model import moving


def walk(old, new, now, sms, way, migrate_cycles, of):
    """Work, cycles below target and work done again of each, and when the last SM has moved."""
    k = len(old)
    owners, coming, again = list(old), [], [0.0] * k
    idle = sms - sum(old)

    def wanting():
        return next((i for i in range(k) if owners[i] < new[i]), None)

    def speeds():
        return [
            of.profile[i][owners[i]] / (1 + of.gamma[i] * sum(of.pressure[j] * owners[j] for j in range(k) if j != i))
            for i in range(k)
        ]

    before = speeds()
    for _ in range(idle):
        if (taker := wanting()) is not None:
            owners[taker] += 1
    for i in range(k):
        for j in range(1, old[i] - new[i] + 1):
            if way == "wait":
                coming.append((now + j * of.block_cycles[i] / old[i], i))
            else:
                owners[i] -= 1
                coming.append((now + (len(coming) + 1) * migrate_cycles if way == "migrate" else now, None))
                if way == "terminate":
                    again[i] += before[i] / old[i] * (j - 1) / old[i] * of.block_cycles[i]
    work, below, time = [-lost for lost in again], [0.0] * k, now
    for when, donor in sorted(coming, key=lambda each: each[0]):
        for i, speed in enumerate(speeds()):
            work[i] += speed * (when - time)
            below[i] += (when - time) if of.target[i] > 0 and speed < of.target[i] * (1 - 1e-12) else 0
        time = when
        if donor is not None:
            owners[donor] -= 1
        if (taker := wanting()) is not None:
            owners[taker] += 1
    return work, below, again, time


@pytest.mark.parametrize("way", moving.WAYS)
def test_moves_are_those_of_a_walk_sm_by_sm(way):
    random = np.random.default_rng(7)
    for _ in range(200):
        k, sms = int(random.integers(1, 4)), 12
        profile = np.cumsum(random.uniform(0.1, 2, (k, sms + 1)), axis=1)
        of = moving.Running(
            profile, random.uniform(0, 1, k), random.uniform(0, 0.05, k), random.uniform(100, 30_000, k),
            profile[:, sms] * random.uniform(0, 0.6, k), *np.zeros((3, k)),
        )  # fmt: skip
        old, new = (np.diff([0, *np.sort(random.choice(np.arange(1, sms + 1), k, replace=False))]) for _ in range(2))
        cost = random.uniform(0, 5000)
        end = moving.move(old, new, 1000.0, sms - old.sum(), moving.WAYS.index(way), cost, of)
        wanted = walk(old.tolist(), new.tolist(), 1000.0, sms, way, cost, of)
        for ours, theirs in zip((of.work, of.below, of.again, end), wanted, strict=True):
            assert ours == pytest.approx(theirs)
        assert (way == "terminate") or not of.again.any()


@pytest.mark.parametrize(
    ("way", "since", "again"),
    [
        # From 30 to 12 SMs the 18th is free 18 * 1000 / 30 cycles after the sample of 1000, from 12 to 9 the third 250.
        ("wait", [0, 1600, 2850], 0),
        ("migrate", [0, 1180, 2210], 0),
        # (0 + … + 17) / 30 of a block on each of 30 SMs at 400 IPC, then (0 + 1 + 2) / 12 on 12 at 216.
        ("terminate", [0, 1000, 2000], 153 / 30 * 1000 * 400 / 30 + 3 / 12 * 1000 * 216 / 12),
    ],
)
def test_the_way_of_figure_11_in_cycles(way, since, again):
    batch = of_slots(np.array([curve(SHA1)]), [160.0], 30, None, None, None, False)
    batch = batch._replace(
        block_cycles=np.array([1000.0]), freeing=np.array([moving.WAYS.index(way)]), migrate_cycles=np.array([10.0])
    )
    measures = np.empty((1, 3))
    *_, starts = resized(batch, True, measures)
    assert starts.tolist() == pytest.approx(since)
    assert measures[0].tolist() == pytest.approx([since[-1], 0, again])


def test_a_size_that_misses_is_held_for_a_sample():
    """From 15 SMs the line says 10, which miss: they do for the sample of 500 cycles, then an idle SM is added."""
    isolated = np.array([curve({0: 0, 10: 99, 11: 112, 15: 150.1, 30: 200})])
    batch = of_slots(isolated, [100.0], 30, None, None, None, False)._replace(block_cycles=np.array([500.0]))
    measures = np.empty((1, 3))
    _, _, held, _, starts = resized(batch, False, measures)
    assert held.tolist() == [15, 10, 11]
    freed = 500 + 5 * 500 / 15
    assert starts.tolist() == pytest.approx([0, freed, freed + 500])
    assert measures[0].tolist() == pytest.approx([freed + 500, 500, 0])
