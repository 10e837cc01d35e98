"""Jobs of a month: users who run a few shapes again and again, with the published marginals of Marconi100."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import scipy

from pipeline.statistics import job_laws as laws
from pipeline.synthetic.users import estimates_s, user_numbers

CPUS = 128
"""Hardware threads of a node; a job that has fewer may share it."""
LONGEST_S = 86_400
LARGEST = 256

RUNS_A_MINUTE, SINGLE, SHARED_OF_SINGLE, MEAN_NODES = 0.601, 0.75, 0.44, 7.0
"""Shares of jobs that run a minute or more, of jobs on one node, of those on a shared node; nodes of all others."""
TEST_S = (60, 1500)
"""Run times of shapes that only try something out, log-uniform; all others run through the phases of the laws."""
RUNS_OF_A_SHAPE, FEWEST_SHAPES = 40, 24

PHASED, CONSTANT, DYNAMIC, SPORADIC = range(4)
PATTERNS = ("phased", "constant", "dynamic", "sporadic")
PATTERN_SHARES = (0.70, 0.12, 0.10, 0.08)
"""Temporal patterns of memory, and how many shapes have each."""

SHARED_CPUS = np.array([4, 8, 16, 32, 64])
BATCH = (2, 12)
"""Jobs of a shared node come in batches: array jobs submitted at once."""
TIME_SPREAD, MEMORY_SPREAD = 0.05, 0.02
"""Standard deviations (shares) of run time and memory among the runs of one shape."""


@dataclass(frozen=True)
class Shapes:
    """What users run: one entry a shape, and phases first[i]..first[i + 1] with their ends (s) and memory (GB)."""

    width: np.ndarray
    cpus: np.ndarray
    user: np.ndarray
    pattern: np.ndarray
    length_s: np.ndarray
    first: np.ndarray
    phase_end_s: np.ndarray
    memory_gb: np.ndarray


@dataclass(frozen=True)
class Jobs:
    """Jobs by submission: whole seconds since 1970, nodes, and how a run differs from its shape."""

    shape: np.ndarray
    submit_s: np.ndarray
    run_s: np.ndarray
    limit_s: np.ndarray
    width: np.ndarray
    cpus: np.ndarray
    stretch: np.ndarray
    factor: np.ndarray


def jobs(
    rng: np.random.Generator, count: int, nodes: int, begin_s: int, end_s: int, load: float
) -> tuple[Shapes, Jobs]:
    """`count` jobs submitted evenly in [begin_s, end_s), which ask for `load` of `nodes` nodes.

    As many shapes are tests of some minutes as it takes to come down to the load. Raises ValueError where even tests
    alone are more than the machine holds.
    """
    single = round(SINGLE * count)
    shared = round(SHARED_OF_SINGLE * single)
    alone, wide = single - shared, count - single
    kinds = np.repeat(np.arange(3), [shared, alone, wide])
    shapes_of = np.array([max(min(FEWEST_SHAPES, n), n // RUNS_OF_A_SHAPE) for n in (shared, alone, wide)])
    drawn = _drawn(rng, shapes_of, wide, min(LARGEST, nodes), MEAN_NODES * (alone + wide) - alone)

    shape = np.concatenate([_popular(rng, n, k) for n, k in zip((shared, alone, wide), shapes_of, strict=True) if n])
    shape += np.repeat(np.cumsum(shapes_of) - shapes_of, [shared, alone, wide])
    submit_s = rng.integers(begin_s, end_s, count)
    batch = _batches(rng, shared)
    shape[:shared], submit_s[:shared] = shape[:shared][batch], submit_s[:shared][batch]
    order = np.lexsort((kinds, submit_s))
    shape, submit_s = shape[order], submit_s[order]

    stretch = np.exp(rng.normal(0, TIME_SPREAD, count))
    fails = np.zeros(count, bool)
    fails[rng.permutation(count)[: count - round(RUNS_A_MINUTE * count)]] = True
    brief_s = np.floor(np.exp(rng.uniform(0, np.log(60), count))).astype(np.int64)
    work_s = load * nodes * (end_s - begin_s)
    length_s = _fit_to_load(rng, drawn, shape, stretch, fails, brief_s, work_s=work_s, nodes=nodes)
    shapes = replace(drawn, length_s=length_s)
    # Users ask for what a shape takes, give or take; the runs that take longer are cut off.
    limit_s = np.minimum(estimates_s(rng, np.ceil(length_s).astype(np.int64)), LONGEST_S)[shape]
    run_s = np.minimum(_run_s(length_s[shape], stretch, fails, brief_s), limit_s)
    return shapes, Jobs(
        shape=shape,
        submit_s=submit_s,
        run_s=run_s,
        limit_s=limit_s,
        width=shapes.width[shape],
        cpus=shapes.cpus[shape],
        stretch=stretch,
        factor=rng.normal(1, MEMORY_SPREAD, count).clip(0.9, 1.1),
    )


def _drawn(rng: np.random.Generator, shapes_of: np.ndarray, wide: int, largest: int, wide_nodes: float) -> Shapes:
    """Shapes whose length is that of all their phases."""
    count = shapes_of.sum()
    width = np.ones(count, np.int64)
    if wide:
        law = _sizes_law(wide_nodes / wide, largest)
        # Few shapes have most of the nodes.
        width[-shapes_of[2] :] = _quantiles(rng, law, shapes_of[2]) + min(2, largest)
    cpus = np.full(count, CPUS)
    cpus[: shapes_of[0]] = rng.choice(SHARED_CPUS, shapes_of[0])
    pattern = _quantiles(rng, np.array(PATTERN_SHARES), count)
    phases = laws.phases(rng, count)
    lengths = np.ceil(laws.lengths_s(rng, phases.sum()))
    length_s = np.add.reduceat(lengths, np.cumsum(phases) - phases)
    memory_gb = laws.memory_gb(rng, "beta", phases.sum())
    # Only phased shapes keep their phases; one level, or the centre of its changes, is all that others have.
    phase_count = np.where(pattern == PHASED, phases, 1)
    last = np.cumsum(phases)
    total = np.append(0, np.cumsum(lengths))
    ends = total[1:] - np.repeat(total[last - phases], phases)
    number = np.arange(phases.sum()) - np.repeat(last - phases, phases)
    chosen = number < np.repeat(phase_count, phases)
    ends = np.where(np.repeat(pattern == PHASED, phases), ends, np.repeat(length_s, phases))
    return Shapes(
        width=width,
        cpus=cpus,
        user=user_numbers(rng, count),
        pattern=pattern,
        length_s=length_s,
        first=np.append(0, np.cumsum(phase_count)),
        phase_end_s=ends[chosen],
        memory_gb=memory_gb[chosen],
    )


def _quantiles(rng: np.random.Generator, law: np.ndarray, count: int) -> np.ndarray:
    """Positions 0.. in a law of probabilities, each as often as it says but for one: less chance than draws have."""
    share = (rng.permutation(count) + rng.random(count)) / count
    return np.searchsorted(np.cumsum(law)[:-1], share, side="right")


@cache
def _sizes_law(mean: float, largest: int) -> np.ndarray:
    """Probabilities of 2..largest nodes, a power law that favours powers of two, with the mean or as near as it gets.

    On a machine of one node there is but that size.
    """
    if largest < 2:
        return np.ones(1)
    sizes = np.arange(2, largest + 1)
    favour = np.where(sizes & (sizes - 1) == 0, 6.0, 1.0)

    def law(exponent: float) -> np.ndarray:
        weights = favour * sizes**-exponent
        return weights / weights.sum()

    low, high = 0.0, 12.0
    if mean >= law(low) @ sizes:
        return law(low)
    if mean <= law(high) @ sizes:
        return law(high)
    return law(scipy.optimize.brentq(lambda exponent: law(exponent) @ sizes - mean, low, high))


def _popular(rng: np.random.Generator, count: int, shapes: int) -> np.ndarray:
    """Shape of each of `count` jobs: every one about as often as 1 / sqrt(rank)."""
    weights = np.arange(1, shapes + 1) ** -0.5
    return rng.choice(shapes, count, p=weights / weights.sum())


def _batches(rng: np.random.Generator, count: int) -> np.ndarray:
    """For each of `count` jobs the first of its batch; no batch is of one, unless there is but one job."""
    sizes = rng.integers(BATCH[0], BATCH[1], count // BATCH[0] + 1, endpoint=True)
    first = np.cumsum(sizes) - sizes
    first = first[first <= max(count - BATCH[0], 0)]
    return first[np.searchsorted(first, np.arange(count), side="right") - 1]


def _fit_to_load(
    rng: np.random.Generator,
    shapes: Shapes,
    shape: np.ndarray,
    stretch: np.ndarray,
    fails: np.ndarray,
    brief_s: np.ndarray,
    *,
    work_s: float,
    nodes: int,
) -> np.ndarray:
    """Lengths (s) of the shapes: tests, but for as many long ones as fill `work_s` node-seconds."""
    short_s = np.exp(rng.uniform(*np.log(TEST_S), shapes.length_s.size))
    weight = shapes.width[shape] * shapes.cpus[shape] / CPUS
    least, most = (
        np.bincount(shape, weight * _run_s(length_s[shape], stretch, fails, brief_s), minlength=shapes.width.size)
        for length_s in (short_s, shapes.length_s)
    )
    if least.sum() > work_s:
        raise ValueError(
            f"{shape.size} jobs are too many for {nodes} nodes in the days asked for: short tests alone ask for "
            f"{least.sum() / work_s:.3g} times the load; give fewer jobs, or more nodes or days"
        )
    order = rng.permutation(shapes.width.size)
    long = order[np.cumsum((most - least)[order]) <= work_s - least.sum()]
    length_s = short_s.copy()
    length_s[long] = shapes.length_s[long]
    return length_s


def _run_s(length_s: np.ndarray, stretch: np.ndarray, fails: np.ndarray, brief_s: np.ndarray) -> np.ndarray:
    whole = np.rint(length_s * stretch).clip(60, LONGEST_S).astype(np.int64)
    return np.where(fails, brief_s, whole)
