"""Seeded generators of example drops: a memory trace like Marconi100's, and an SWF log after Lublin and Feitelson.

Both draw from published laws, none copies a measured trace; what they write is labelled `kind: generated`.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import yaml
from numba import njit
from scipy import stats

from pipeline import storage
from pipeline.studies.hpc_memory import laws

NODE_MEMORY_GB = 256

GAP_S, GAP_PROBABILITY = (40, 80, 120), (0.805, 0.155, 0.04)
"""Steps between samples of Marconi100's monitoring: 81 % of a full grid of 40 s are there."""
NODE_SPREAD, NOISE_GB = 0.01, 0.2
"""Standard deviations of a node's memory around its job's (share), and of a sample around its phase's level."""

ESTIMATES_S = 60 * np.array([1, 5, 10, 15, 30, 60, 120, 180, 240, 360, 480, 720, 1080, 1440, 2160, 2880])
"""Run times that users ask for: few round values (Tsafrir, Etsion and Feitelson, JSSPP 2005)."""

PLAIN_SWF_BYTES = 120_000
"""A longer log is compressed."""


def memory_trace(seed: int, jobs: int, nodes: int, load: float = 0.9) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A Marconi100-like trace of used memory: jobs of phases, sampled node by node at irregular steps.

    Jobs arrive at random so that their node-seconds fill `load` of `nodes` nodes until the last arrival, and run first
    come, first served, no node shared. Returns (samples, jobs): job_id, node, time_s, used_gb sorted by all but the
    last; and job_id, submit_s, nodes, walltime_s, runtime_s, start_s, end_s, user by submission. Times are whole
    seconds from the first submission. Raises ValueError for counts below 1 or a load that is not positive.
    Source: laws of the model page of hpc_memory (HiPC 2024, Section V).
    """
    _check(jobs=jobs, nodes=nodes, load=load)
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
    # As many draws as a full grid has: gaps are never shorter, so the surplus lies beyond the job's end.
    draws = runtime_s[job] // GAP_S[0] + 1
    series = np.repeat(np.arange(job.size), draws)
    gap_s = rng.choice(GAP_S, size=series.size, p=GAP_PROBABILITY)
    first = np.cumsum(draws) - draws
    gap_s[first] = rng.integers(0, GAP_S[0], job.size)
    ticks = np.cumsum(gap_s)
    elapsed_s = ticks - np.repeat(ticks[first] - gap_s[first], draws)
    inside = elapsed_s < runtime_s[job[series]]
    # A job shorter than the grid keeps one sample.
    inside[first] = True
    elapsed_s[first] = np.minimum(elapsed_s[first], runtime_s[job] - 1)
    series, elapsed_s = series[inside], elapsed_s[inside]

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
            "walltime_s": _estimates(rng, runtime_s),
            "runtime_s": runtime_s,
            "start_s": start_s,
            "end_s": start_s + runtime_s,
            "user": _users(rng, jobs),
        }
    )
    as_text = pl.col("job_id").cast(pl.String)
    return (
        samples.with_columns(as_text, pl.col("node").cast(pl.String)).sort("job_id", "node", "time_s"),
        submitted.with_columns(as_text, pl.format("user{}", "user").alias("user")),
    )


def lublin_jobs(seed: int, jobs: int, processors: int, load: float) -> pl.DataFrame:
    """Rigid jobs after the workload model of Lublin and Feitelson (JPDC 63(11), 2003), for one class of jobs.

    Sizes: serial, or 2^u with u two-stage uniform, rounded to a power of two in 58 % of the jobs. Run times:
    hyper-gamma in their logarithm, long ones likelier for large jobs. Arrivals: gamma in the logarithm of the gap, then
    stretched and squeezed by the daily cycle; gaps are scaled so that sum(run time · size) = load · processors · last
    arrival. The model has no estimates: users ask for a round value above their run time (see `_estimates`).

    Returns job_id (from 1, by submission), submit_s (from 0 = midnight), nodes (processors), walltime_s, runtime_s,
    user, all integers. Raises ValueError for counts below 1 or a load that is not positive.
    """
    _check(jobs=jobs, processors=processors, load=load)
    rng = np.random.default_rng(seed)
    size = _lublin_sizes(rng, jobs, processors)
    runtime_s = _lublin_runtimes(rng, size)
    gaps = np.exp(_gamma_below(rng, np.full(jobs - 1, 10.2303 * 1.0225), np.full(jobs - 1, 0.4871), 13.0))
    operational = _operational_time()
    last_s = (size * runtime_s).sum() / (load * processors)
    days, rest_s = divmod(last_s, DAY_S)
    last_operational = days * DAY_S + np.interp(rest_s, HALF_HOURS_S, operational)
    arrivals = np.append(0.0, np.cumsum(gaps) / max(gaps.sum(), 1e-300) * last_operational)
    days, rest = np.divmod(arrivals, DAY_S)
    return pl.DataFrame(
        {
            "job_id": np.arange(jobs) + 1,
            "submit_s": np.round(days * DAY_S + np.interp(rest, operational, HALF_HOURS_S)).astype(np.int64),
            "nodes": size,
            "walltime_s": _estimates(rng, runtime_s),
            "runtime_s": runtime_s,
            "user": _users(rng, jobs),
        }
    )


def swf_text(jobs: pl.DataFrame, processors: int, note: str) -> str:
    """Jobs as text in the Standard Workload Format 2.2 (columns as `lublin_jobs` gives them, whole seconds)."""
    header = {
        "Version": "2.2",
        "Computer": "none (generated)",
        "Note": note,
        "MaxJobs": jobs.height,
        "MaxRecords": jobs.height,
        "Preemption": "No",
        "UnixStartTime": 0,
        "TimeZone": 0,
        "TimeZoneString": "UTC",
        "MaxNodes": processors,
        "MaxProcs": processors,
        "MaxRuntime": jobs["runtime_s"].max(),
    }
    unknown = pl.lit("-1")
    fields = [
        *("job_id", "submit_s", unknown, "runtime_s", "nodes", unknown, unknown, "nodes", "walltime_s", unknown),
        *(pl.lit("1"), "user", unknown, unknown, unknown, unknown, unknown, unknown),
    ]
    lines = jobs.select(pl.concat_str(fields, separator=" ")).to_series()
    return "\n".join([*(f"; {name}: {value}" for name, value in header.items()), *lines]) + "\n"


def write_memory_samples(folder: Path, seed: int, jobs: int = 60, nodes: int = 54, load: float = 0.9) -> None:
    """Write `memory_trace` as a drop of the format memory_samples: samples.parquet, jobs.parquet, trace.yaml."""
    samples, submitted = memory_trace(seed, jobs, nodes, load)
    storage.write(samples, folder / "samples.parquet")
    storage.write(submitted, folder / "jobs.parquet")
    _describe(
        folder,
        {
            "format": "memory_samples",
            "kind": "generated",
            "nodes": nodes,
            "node_memory_gb": NODE_MEMORY_GB,
            "note": f"Generated, not measured: pipeline.make_trace.write_memory_samples(seed={seed}, jobs={jobs}, "
            f"nodes={nodes}, load={load}). Phases and memory follow the laws documented for Marconi100; "
            f"{laws.MEMORY_RANGE_GB[1]:g} of a node's {NODE_MEMORY_GB} GB are usable.",
        },
    )


def write_swf(folder: Path, seed: int, jobs: int = 1500, processors: int = 128, load: float = 0.85) -> None:
    """Write `lublin_jobs` as a drop of the format swf: <folder name>.swf (.swf.gz above 120 kB) and trace.yaml."""
    note = (
        f"Generated, not measured: pipeline.make_trace.write_swf(seed={seed}, jobs={jobs}, processors={processors}, "
        f"load={load}), after the workload model of Lublin and Feitelson (2003) with round user estimates"
    )
    text = swf_text(lublin_jobs(seed, jobs, processors, load), processors, note).encode()
    folder.mkdir(parents=True, exist_ok=True)
    plain, packed = folder / f"{folder.name}.swf", folder / f"{folder.name}.swf.gz"
    for stale in (plain, packed):
        stale.unlink(missing_ok=True)
    if len(text) <= PLAIN_SWF_BYTES:
        plain.write_bytes(text)
    else:
        packed.write_bytes(gzip.compress(text, mtime=0))
    _describe(folder, {"format": "swf", "kind": "generated", "note": f"{note}."})


def _describe(folder: Path, description: dict) -> None:
    text = yaml.safe_dump(description, sort_keys=False, allow_unicode=True, width=110)
    (folder / "trace.yaml").write_text(text, encoding="utf-8")


def _check(load: float, **counts: int) -> None:
    for name, count in counts.items():
        if count < 1:
            raise ValueError(f"{name} is {count}; a generated trace needs at least 1")
    if not load > 0:
        raise ValueError(f"load is {load}; it must be > 0")


def _estimates(rng: np.random.Generator, runtime_s: np.ndarray) -> np.ndarray:
    """Run time asked for: the round value next above run time / accuracy.

    The accuracy of real estimates is spread about evenly (Mu'alem and Feitelson, TPDS 12(6), 2001); nobody asks for
    more than the longest value, nor for less than the run time.
    """
    asked = runtime_s / rng.uniform(0.05, 1.0, runtime_s.size)
    at = np.minimum(np.searchsorted(ESTIMATES_S, asked), ESTIMATES_S.size - 1)
    return np.maximum(ESTIMATES_S[at], runtime_s)


def _users(rng: np.random.Generator, jobs: int) -> np.ndarray:
    """User numbers from 1, a few of them with most of the jobs."""
    users = np.arange(1, max(2, jobs // 20) + 1)
    return rng.choice(users, size=jobs, p=(1 / users) / (1 / users).sum())


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


DAY_S = 86_400
HALF_HOURS_S = np.arange(49) * 1800.0


def _operational_time() -> np.ndarray:
    """Arrivals expected until each half-hour of the day, in units in which a mean second has one.

    The share of half-hour i (from 1) is that of the gamma law (8.1737, 3.9631) in [i - 1/2, i + 1/2], for a day that
    begins in half-hour 11 and wraps at midnight.
    """
    i = np.arange(11, 11 + 48)
    law = stats.gamma(8.1737, scale=3.9631)
    weight = np.empty(48)
    weight[(i - 1) % 48] = law.cdf(i + 0.5) - law.cdf(i - 0.5)
    return np.append(0.0, np.cumsum(weight) / weight.sum()) * DAY_S


def _lublin_sizes(rng: np.random.Generator, jobs: int, processors: int) -> np.ndarray:
    highest = np.log2(processors)
    lowest = min(0.8, highest)
    middle = max(lowest, highest - 2.5)
    kind = rng.uniform(size=jobs)
    low = rng.uniform(size=jobs) < 0.86
    exponent = np.where(low, rng.uniform(lowest, middle, jobs), rng.uniform(middle, highest, jobs))
    power_of_two = np.minimum(np.round(exponent), np.floor(highest))
    exponent = np.where(kind < 0.244 + 0.576, power_of_two, exponent)
    return np.where(kind < 0.244, 1, np.round(2**exponent)).astype(np.int64)


def _lublin_runtimes(rng: np.random.Generator, size: np.ndarray) -> np.ndarray:
    short = np.clip(0.78 - 0.0054 * size, 0, 1)
    is_short = rng.uniform(size=size.size) < short
    shape, scale = np.where(is_short, 4.2, 312.0), np.where(is_short, 0.94, 0.03)
    return np.maximum(np.exp(_gamma_below(rng, shape, scale, 12.0)), 1).astype(np.int64)


def _gamma_below(rng: np.random.Generator, shape: np.ndarray, scale: np.ndarray, bound: float) -> np.ndarray:
    """Gamma variates, those above `bound` drawn again (the published model's guard against absurd times)."""
    values = rng.gamma(shape, scale)
    while (above := values > bound).any():
        values[above] = rng.gamma(shape[above], scale[above])
    return values
