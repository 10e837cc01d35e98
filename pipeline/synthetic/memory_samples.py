"""A memory trace like Marconi100's, in the format memory_samples."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numba import njit

from pipeline.runtime import storage
from pipeline.statistics import job_laws as laws
from pipeline.synthetic.drop import describe, require_positive
from pipeline.synthetic.users import estimates_s, user_numbers

NODE_MEMORY_GB = 256

GAP_S, GAP_PROBABILITY = (40, 80, 120), (0.805, 0.155, 0.04)
"""Steps between samples of Marconi100's monitoring: 81 % of a full grid of 40 s are there."""
NODE_SPREAD, NOISE_GB = 0.01, 0.2
"""Standard deviations of a node's memory around its job's (share), and of a sample around its phase's level."""


def memory_trace(seed: int, jobs: int, nodes: int, load: float = 0.9) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A Marconi100-like trace of used memory: jobs of phases, sampled node by node at irregular steps.

    Jobs arrive at random so that their node-seconds fill `load` of `nodes` nodes until the last arrival, and run first
    come, first served, no node shared. Returns (samples, jobs): job_id, node, time_s, used_gb sorted by all but the
    last; and job_id, submit_s, nodes, walltime_s, runtime_s, start_s, end_s, user by submission. Times are whole
    seconds from the first submission. Raises ValueError for counts below 1 or a load that is not positive.
    Source: statistics.job_laws (HiPC 2024, Section V).
    """
    require_positive(jobs=jobs, nodes=nodes, load=load)
    rng = np.random.default_rng(seed)
    width = laws.nodes(rng, "marconi100", jobs, largest=nodes)
    phases = laws.phases(rng, jobs)
    length_s = np.ceil(laws.lengths_s(rng, phases.sum())).astype(np.int64)
    memory_gb = laws.memory_gb(rng, "beta", phases.sum())
    runtime_s = np.add.reduceat(length_s, np.cumsum(phases) - phases)

    gaps = rng.exponential(size=jobs - 1)
    last_s = (width * runtime_s).sum() / (load * nodes)
    submit_s = np.round(np.append(0, np.cumsum(gaps) / max(gaps.sum(), 1e-300) * last_s)).astype(np.int64)
    start_s, node = _first_come_first_served(submit_s, runtime_s, width, nodes)

    job = np.repeat(np.arange(jobs), width)
    factor = rng.normal(1, NODE_SPREAD, job.size)
    series, elapsed_s = _sampled(rng, runtime_s[job])

    # Phases of all jobs laid end to end: a job's own time starts where the phases of the jobs before it end.
    phase_end = np.cumsum(length_s)
    own_start = np.cumsum(runtime_s) - runtime_s
    level_gb = memory_gb[np.searchsorted(phase_end, own_start[job[series]] + elapsed_s, side="right")]
    used_gb = level_gb * factor[series] + rng.normal(0, NOISE_GB, series.size)
    samples = pl.DataFrame(
        {
            "job_id": job[series] + 1,
            "node": node[series],
            "time_s": start_s[job[series]] + elapsed_s,
            "used_gb": np.round(np.clip(used_gb, 0, laws.MEMORY_RANGE_GB[1]), 2),
        }
    )
    submitted = pl.DataFrame(
        {
            "job_id": np.arange(jobs) + 1,
            "submit_s": submit_s,
            "nodes": width,
            "walltime_s": estimates_s(rng, runtime_s),
            "runtime_s": runtime_s,
            "start_s": start_s,
            "end_s": start_s + runtime_s,
            "user": user_numbers(rng, jobs),
        }
    )
    as_text = pl.col("job_id").cast(pl.String)
    return (
        samples.with_columns(as_text, pl.col("node").cast(pl.String)).sort("job_id", "node", "time_s"),
        submitted.with_columns(as_text, pl.format("user{}", "user").alias("user")),
    )


def _sampled(rng: np.random.Generator, runtime_s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """When each series is sampled over its run time: the series of each sample, and seconds from its start."""
    # As many draws as a full grid has: gaps are never shorter, so the surplus lies beyond the job's end.
    draws = runtime_s // GAP_S[0] + 1
    series = np.repeat(np.arange(runtime_s.size), draws)
    gap_s = rng.choice(GAP_S, size=series.size, p=GAP_PROBABILITY)
    first = np.cumsum(draws) - draws
    gap_s[first] = rng.integers(0, GAP_S[0], runtime_s.size)
    ticks = np.cumsum(gap_s)
    elapsed_s = ticks - np.repeat(ticks[first] - gap_s[first], draws)
    inside = elapsed_s < runtime_s[series]
    # A job shorter than the grid keeps one sample.
    inside[first] = True
    elapsed_s[first] = np.minimum(elapsed_s[first], runtime_s - 1)
    return series[inside], elapsed_s[inside]


def write_memory_samples(folder: Path, seed: int, jobs: int = 60, nodes: int = 54, load: float = 0.9) -> None:
    """Write `memory_trace` as a drop of the format memory_samples: samples.parquet, jobs.parquet, trace.yaml."""
    samples, submitted = memory_trace(seed, jobs, nodes, load)
    storage.write(samples, folder / "samples.parquet")
    storage.write(submitted, folder / "jobs.parquet")
    describe(
        folder,
        {
            "format": "memory_samples",
            "kind": "generated",
            "nodes": nodes,
            "node_memory_gb": NODE_MEMORY_GB,
            "note": f"Generated, not measured: pipeline.synthetic.write_memory_samples(seed={seed}, jobs={jobs}, "
            f"nodes={nodes}, load={load}). Phases and memory follow the laws documented for Marconi100; "
            f"{laws.MEMORY_RANGE_GB[1]:g} of a node's {NODE_MEMORY_GB} GB are usable.",
        },
    )


@njit(cache=True)
def _first_come_first_served(submit_s, runtime_s, width, nodes):
    """Start of every job, and its nodes one job after the other: those free first, no job before its elders."""
    free_at = np.zeros(nodes, np.int64)
    start_s = np.empty_like(submit_s)
    node = np.empty(width.sum(), np.int64)
    earliest = 0
    written = 0
    for job in range(submit_s.size):
        chosen = np.argsort(free_at, kind="mergesort")[: width[job]]
        earliest = max(earliest, submit_s[job], free_at[chosen[-1]])
        start_s[job] = earliest
        free_at[chosen] = earliest + runtime_s[job]
        node[written : written + width[job]] = chosen
        written += width[job]
    return start_s, node
