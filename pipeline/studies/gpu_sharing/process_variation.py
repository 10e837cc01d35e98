"""Scenarios of process variation: splits of SMs that differ in frequency (thesis, Chapter 4).

A scheduler of this family states `SPLIT`: "even" or "profile". Model: docs/models/gpu_sharing-variation.md.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline.studies.gpu_sharing import measures, sm_map, variation
from pipeline.studies.gpu_sharing.arrays import Problem

SMS = 30
"""SMs of a GPU, where a scenario states none (Quadro FX5800, Table 1)."""


def replay(problem: Problem) -> dict[str, pl.DataFrame]:
    """Outcomes and metrics of the scenarios."""
    scenarios, S = problem.scenarios, problem.sms
    speedup, compute_bound, by_curve = _sensitivities(problem)
    per_sm = (scenarios["clocking"] == "per_sm").to_numpy()
    seeds, frequencies = _maps(scenarios["map_seed"].to_numpy()[per_sm], S)
    row = np.full(len(scenarios), -1)
    row[per_sm] = np.searchsorted(seeds, scenarios["map_seed"].to_numpy()[per_sm])
    gamma = np.repeat(scenarios["gamma"].to_numpy(), np.diff(problem.first_slot))
    held, clock, throughput = variation.run(
        np.full(len(scenarios), S), problem.first_slot, row, (scenarios["assignment"] == "csmf").to_numpy(),
        np.array(problem.stated("SPLIT")) == "profile", problem.curve,
        gamma * measures.of_app(problem, "sensitivity", 1.0), measures.of_app(problem, "pressure", 1.0), speedup,
        compute_bound, by_curve, problem.ipc, frequencies,
    )  # fmt: skip
    values = measures.of_splits(problem, held, throughput)
    values["equal_work_speedup"] = measures.sums(problem, throughput / problem.ipc[problem.curve, S])
    values["mean_clock"] = measures.sums(problem, clock * held) / S
    return {
        "outcomes": problem.per_slot(
            {"sms": held, "throughput": throughput, "speedup": throughput / measures.cooperative(problem)}
        ),
        "metrics": problem.metrics(values),
    }


def _maps(map_seeds: np.ndarray, sms: int) -> tuple[np.ndarray, np.ndarray]:
    """The maps' seeds, ascending, and the frequencies of their SMs, a row a map, the fastest first."""
    seeds = np.unique(map_seeds)
    drawn = [np.sort(sm_map.frequencies(int(seed), sms))[::-1] for seed in seeds]
    return seeds, np.array(drawn).reshape(len(seeds), sms)


def _sensitivities(problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Speed-up at 1.4 times the clock of each slot, whether it is compute-bound, and whether that is of its curve."""
    applications = measures.applications(problem)
    speedup = measures.of_app(problem, "clock_speedup", np.nan)
    for k in np.unique(applications):
        stated = measures.of_app(problem, f"clock_speedup_{k}", np.nan)
        speedup = np.where((applications == k) & ~np.isnan(stated), stated, speedup)
    by_curve = np.isnan(speedup)
    own = variation.speedups_of_curves(problem.ipc, problem.curve, problem.sms / applications)
    speedup = np.where(by_curve, own, speedup)
    stated = measures.of_app(problem, "compute_bound", np.nan)
    return speedup, np.where(np.isnan(stated), speedup >= variation.COMPUTE_BOUND, stated > 0), by_curve
