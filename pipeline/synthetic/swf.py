"""A log in the Standard Workload Format, after the workload model of Lublin and Feitelson."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import polars as pl
import scipy

from pipeline.synthetic.drop import describe, require_positive
from pipeline.synthetic.users import estimates_s, user_numbers

PLAIN_SWF_BYTES = 120_000
"""A longer log is compressed."""


def lublin_jobs(seed: int, jobs: int, processors: int, load: float) -> pl.DataFrame:
    """Rigid jobs after the workload model of Lublin and Feitelson (JPDC 63(11), 2003), for one class of jobs.

    Sizes: serial, or 2^u with u two-stage uniform, rounded to a power of two in 58 % of the jobs. Run times:
    hyper-gamma in their logarithm, long ones likelier for large jobs. Arrivals: gamma in the logarithm of the gap, then
    stretched and squeezed by the daily cycle; gaps are scaled so that sum(run time · size) = load · processors · last
    arrival. The model has no estimates: users ask for a round value above their run time (see `users.estimates_s`).

    Returns job_id (from 1, by submission), submit_s (from 0 = midnight), nodes (processors), walltime_s, runtime_s,
    user, all integers. Raises ValueError for counts below 1 or a load that is not positive.
    """
    require_positive(jobs=jobs, processors=processors, load=load)
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
            "walltime_s": estimates_s(rng, runtime_s),
            "runtime_s": runtime_s,
            "user": user_numbers(rng, jobs),
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


def write_swf(folder: Path, seed: int, jobs: int = 1500, processors: int = 128, load: float = 0.85) -> None:
    """Write `lublin_jobs` as a drop of the format swf: <folder name>.swf (.swf.gz above 120 kB) and trace.yaml."""
    note = (
        f"Generated, not measured: pipeline.synthetic.write_swf(seed={seed}, jobs={jobs}, processors={processors}, "
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
    describe(folder, {"format": "swf", "kind": "generated", "note": f"{note}."})


DAY_S = 86_400
HALF_HOURS_S = np.arange(49) * 1800.0


def _operational_time() -> np.ndarray:
    """Arrivals expected until each half-hour of the day, in units in which a mean second has one.

    The share of half-hour i (from 1) is that of the gamma law (8.1737, 3.9631) in [i - 1/2, i + 1/2], for a day that
    begins in half-hour 11 and wraps at midnight.
    """
    i = np.arange(11, 11 + 48)
    law = scipy.stats.gamma(8.1737, scale=3.9631)
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
