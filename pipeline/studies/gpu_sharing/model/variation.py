"""Process variation: which SMs, each with a frequency of its own, an application has and what it does with them.

Thesis, Chapter 4; docs/models/gpu_sharing-variation.md.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numba import njit

from pipeline.studies.gpu_sharing.arrays import Problem, Replayed
from pipeline.studies.gpu_sharing.model import asking, slowdown, sm_map

COMPUTE_BOUND = 1.30
"""Speed-up at 1.4 times the clock from which on an application counts as compute-bound (Section 4.1)."""
FULL_RAISE = 0.4
"""Rise of the clock at which `clock_speedup` is stated."""
MAP = ["map_seed", "threshold_v", "voltage_exponent", "cluster_sms"]
"""Columns of a scenario that say which map of SM frequencies it has."""


@njit(cache=True)
def beyond(isolated, S, n):
    """IPC on n SMs, n any number: linear between whole numbers; from S on along the last segment, never down."""
    if n >= S:
        return isolated[S] + (n - S) * max(0.0, isolated[S] - isolated[S - 1])
    below = int(n)
    return isolated[below] + (n - below) * (isolated[below + 1] - isolated[below])


@njit(cache=True)
def speedups_of_curves(isolated, row, sms):
    """Speed-up at 1.4 times the clock of each slot on `sms` (one each, any number), an SM then being worth 1.4 SMs.

    It is 1 at least, also where the curve falls.
    """
    speedup = np.ones(len(row))
    last = isolated.shape[1] - 1
    for i in range(len(row)):
        base = beyond(isolated[row[i]], last, sms[i])
        if base > 0:
            speedup[i] = max(1.0, beyond(isolated[row[i]], last, (1.0 + FULL_RAISE) * sms[i]) / base)
    return speedup


@njit(cache=True)
def takes_before(i, j, compute_bound, speedup):
    """Whether slot i has faster SMs than j under CFMS: compute-bound first, then the more sensitive, then by slot."""
    if compute_bound[i] != compute_bound[j]:
        return compute_bound[i]
    if speedup[i] != speedup[j]:
        return speedup[i] > speedup[j]
    return i < j


@njit(cache=True)
def run_split(batch, split, slow_first, compute_bound, by_curve):
    """Mean frequency of its SMs and throughput (IPC, in cycles of the slowest SM) of every slot of every scenario.

    slow_first: one per scenario, compute-bound ones on slow SMs; compute_bound, by_curve: one per slot, by_curve
    where throughput comes from the curve at the sum of frequencies, and not from `clock_speedup`.
    """
    clock, throughput = np.ones(len(split)), np.zeros(len(split))
    for s in range(len(batch.first_slot) - 1):
        a, b = batch.first_slot[s], batch.first_slot[s + 1]
        frequency = batch.clock[batch.clock_row[s]]
        for i in range(a, b):
            # SMs go in blocks, from the fastest to the slowest.
            begin = 0
            for j in range(a, b):
                if j != i and takes_before(j, i, compute_bound, batch.clock_speedup) != slow_first[s]:
                    begin += split[j]
            total = 0.0
            for m in range(begin, begin + split[i]):
                total += frequency[m]
            clock[i] = total / split[i]
            alone = batch.ipc[batch.curve[i], split[i]]
            if by_curve[i]:
                # Where a curve falls, more SMs harm; a faster clock on the same ones does not.
                alone = max(alone, beyond(batch.ipc[batch.curve[i]], batch.sms, total))
            else:
                alone = alone * (1.0 + (batch.clock_speedup[i] - 1.0) * ((clock[i] - 1.0) / FULL_RAISE))
            throughput[i] = alone / slowdown(a, b, i, batch.gamma, batch.pressure, split)
    return clock, throughput


def run(problem: Problem) -> Replayed:
    """Scenarios whose SMs differ in frequency."""
    scenarios, S = problem.scenarios, problem.sms
    speedup, compute_bound, by_curve = _sensitivities(problem)
    row, clocks = _maps(scenarios, S)
    batch = problem.batch(
        gamma=problem.spread("gamma") * problem.of_apps("sensitivity", 1.0),
        clock_speedup=speedup,
        clock_row=row,
        clock=clocks,
    )
    split = np.zeros(len(batch.curve), np.int64)
    for rule, which in problem.rules():
        asking.ask(rule.compiled(), which, batch, split)
    problem.require_all_used(split)
    slow_first = (scenarios["assignment"] == "csmf").to_numpy()
    clock, throughput = run_split(batch, split, slow_first, compute_bound, by_curve)
    values = {
        "equal_work_speedup": problem.sums(throughput / problem.ipc[problem.curve, S]),
        "mean_clock": problem.sums(clock * split) / S,
    }
    return Replayed(split, throughput, values)


def _maps(scenarios: pl.DataFrame, sms: int) -> tuple[np.ndarray, np.ndarray]:
    """Row of each scenario among the clocks of maps, and these, the fastest SM first; row 0 is one clock for all."""
    per_sm = scenarios["clocking"] == "per_sm"
    maps = scenarios.filter(per_sm).select(MAP).unique().sort(MAP).with_row_index("row", 1)
    drawn = [np.sort(sm_map.frequencies(int(seed), sms, *law))[::-1] for seed, *law in maps.select(MAP).iter_rows()]
    map_row = scenarios.join(maps, on=MAP, how="left", maintain_order="left")["row"].cast(pl.Int64)
    row = map_row.zip_with(per_sm, pl.Series([0], dtype=pl.Int64))
    return row.to_numpy(writable=True), np.array([np.ones(sms), *drawn])


def _sensitivities(problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Speed-up at 1.4 times the clock of each slot, whether it is compute-bound, and whether that is of its curve."""
    applications = np.repeat(problem.applications, problem.applications)
    speedup = problem.of_apps("clock_speedup", np.nan)
    for k in np.unique(applications):
        speedup = _stated(problem, f"clock_speedup_{k}", applications == k, speedup)
    by_curve = np.isnan(speedup)
    own = speedups_of_curves(problem.ipc, problem.curve, problem.sms / applications)
    speedup = np.where(by_curve, own, speedup)
    stated = problem.of_apps("compute_bound", np.nan)
    compute_bound = np.where(np.isnan(stated), speedup >= COMPUTE_BOUND, stated > 0)
    others_memory_bound = np.repeat(problem.sums(~compute_bound), problem.applications) - ~compute_bound
    left = (others_memory_bound == 0) & (problem.spread("controllers") == "left") & ~by_curve
    for k in np.unique(applications):
        speedup = _stated(problem, f"clock_speedup_{k}_left", left & (applications == k), speedup)
    return speedup, compute_bound, by_curve


def _stated(problem: Problem, column: str, where: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    """A column of `apps` for the slots `where` it says something."""
    stated = problem.of_apps(column, np.nan)
    return np.where(where & ~np.isnan(stated), stated, otherwise)
