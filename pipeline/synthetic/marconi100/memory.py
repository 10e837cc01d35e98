"""What the monitoring sees of a node's memory: a pure function of node and time, sampled at irregular steps.

All chance comes from hashes of what it belongs to (a job's tick, a node's sample), so a value is the same whichever
metric, day or file is written first. Memory is in KiB and in whole pages of 64 KiB, which float32 holds exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.statistics import job_laws as laws
from pipeline.synthetic.marconi100.workload import DYNAMIC, PHASED, SPORADIC

TOTAL_KIB = 329_871_872
GPU_TOTAL_MB = 16_160
KIB_A_GB = 1e9 / 1024
PAGE_KIB = 64
LARGEST_GB = laws.MEMORY_RANGE_GB[1]

GAP_WEIGHTS = (0.155 / 0.195, 0.04 / 0.195)
"""Of gaps with samples missing: shares with one missing and with two."""
LEAST_PRESENT = 1 / (1 + GAP_WEIGHTS[0] + 2 * GAP_WEIGHTS[1])

TICK_S = 40
SPIKE_S, SPIKE_EVERY_S = 80, 900
FREE, CACHED, BUFFERS, TOTAL, GPU_USED, GPU_TOTAL = range(6)


class Runs(NamedTuple):
    """Jobs where they ran, for compiled code: by job, then by shape, then by phase, then by node."""

    start_s: np.ndarray
    end_s: np.ndarray
    shape: np.ndarray
    stretch: np.ndarray
    factor: np.ndarray
    share: np.ndarray
    pattern: np.ndarray
    first: np.ndarray
    phase_end_s: np.ndarray
    memory_gb: np.ndarray
    first_of: np.ndarray
    job_of: np.ndarray


def gap_law(present: float) -> tuple[float, float]:
    """Probabilities that a step misses no sample, and at most one, so that the share `present` of the grid is there.

    Raises ValueError for a share that steps with at most two samples missing cannot give.
    """
    if not LEAST_PRESENT <= present <= 1:
        raise ValueError(f"present is {present}; the share of samples that are there must be {LEAST_PRESENT:.3f} to 1")
    missing = (1 / present - 1) / (GAP_WEIGHTS[0] + 2 * GAP_WEIGHTS[1])
    return 1 - missing, 1 - missing * GAP_WEIGHTS[1]


@njit(cache=True)
def uniform(seed, a, b, c):
    """A number in [0, 1) for a key of four integers (the mixing steps of splitmix64)."""
    x = np.uint64(seed)
    for word in (a, b, c):
        x = (x ^ np.uint64(word)) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
    return (x >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True)
def _bell(seed, a, b, c):
    """A number of mean 0 and standard deviation 1, between -2.45 and 2.45."""
    return (uniform(seed, a, b, c) + uniform(seed ^ 0x5BD1E995, a, b, c) - 1) * 2.449489742783178


@njit(cache=True)
def job_gb(seed, runs, job, node, time_s):
    """Memory of a job on one of its nodes, GB, were the node its own."""
    elapsed = time_s - runs.start_s[job]
    shape = runs.shape[job]
    first, last = runs.first[shape], runs.first[shape + 1] - 1
    pattern = runs.pattern[shape]
    gb = runs.memory_gb[first]
    if pattern == PHASED:
        own = elapsed / runs.stretch[job]
        at = first + np.searchsorted(runs.phase_end_s[first:last], own, side="right")
        gb = runs.memory_gb[at]
    elif pattern == DYNAMIC:
        gb *= 1 + 0.4 * (2 * uniform(seed, 1, job, elapsed // TICK_S) - 1)
    elif pattern == SPORADIC:
        window = elapsed // SPIKE_EVERY_S
        spike = uniform(seed, 2, job, window) * (SPIKE_EVERY_S - SPIKE_S)
        if not 0 <= elapsed - window * SPIKE_EVERY_S - spike < SPIKE_S:
            gb *= 0.12
    spread = 1 + 0.01 * _bell(seed, 3, job, node)
    return min(gb * runs.factor[job] * spread, LARGEST_GB)


@njit(cache=True)
def base_gb(seed, node):
    """Memory of an idle node, GB."""
    return 9.0 + 2.0 * uniform(seed, 4, node, 0)


@njit(cache=True)
def _use_gb(seed, runs, node, cursor, time_s):
    """Memory in use on a node, and how much of it is page cache, GB; `cursor` is the first job that may still run."""
    base = base_gb(seed, node)
    use, oldest = base, time_s
    for at in range(cursor, runs.first_of[node + 1]):
        job = runs.job_of[at]
        if runs.start_s[job] > time_s:
            break
        if runs.end_s[job] > time_s:
            oldest = min(oldest, runs.start_s[job])
            # What an idle node has is part of what is measured while a job runs.
            use += max(job_gb(seed, runs, job, node, time_s) - base, 0.0) * runs.share[job]
    growth = min((time_s - oldest) * 5e-5, 1.5)
    noise = (0.02 + 2e-4 * use) * _bell(seed, 5, node, time_s)
    return use + growth + noise, 0.3 * base + growth + 0.3 * noise


@njit(cache=True)
def _pages_kib(gb):
    return np.rint(gb * KIB_A_GB / PAGE_KIB) * PAGE_KIB


@njit(cache=True)
def _value(seed, runs, metric, gpu, node, cursor, time_s):
    if metric == TOTAL:
        return float(TOTAL_KIB)
    if metric == GPU_TOTAL:
        return float(GPU_TOTAL_MB)
    if metric == BUFFERS:
        return _pages_kib(0.05 + 0.4 * uniform(seed, 6, node, 0) + 0.01 * uniform(seed, 7, node, time_s // 3600))
    use, cache = _use_gb(seed, runs, node, cursor, time_s)
    if metric == CACHED:
        return _pages_kib(cache)
    if metric == GPU_USED:
        busy = max(use - base_gb(seed, node) - 2, 0.0) / LARGEST_GB
        return np.floor(11 + busy * (0.9 + 0.1 * uniform(seed, 8, node, gpu)) * (GPU_TOTAL_MB - 400))
    return TOTAL_KIB - _pages_kib(use)


@njit(cache=True)
def sample_day(seed, runs, metric, gpu, period_s, full, one_missing, end_s, next_s, cursor, times, values, row_of):
    """Sample all nodes until `end_s`; returns the number of rows.

    `times` (s) and `values` are filled node by node, row_of[n]..row_of[n + 1] are a node's rows. `next_s`, the time of
    each node's next sample, and `cursor`, its first job that may still run, go on from day to day.
    """
    row = 0
    for node in range(next_s.size):
        row_of[node] = row
        time_s, at = next_s[node], cursor[node]
        while time_s < end_s:
            while at < runs.first_of[node + 1] and runs.end_s[runs.job_of[at]] <= time_s:
                at += 1
            times[row] = time_s
            values[row] = _value(seed, runs, metric, gpu, node, at, time_s)
            row += 1
            chance = uniform(seed, 16 + 8 * metric + gpu, node, time_s)
            time_s += period_s * (1 if chance < full else 2 if chance < one_missing else 3)
        next_s[node], cursor[node] = time_s, at
    row_of[next_s.size] = row
    return row
