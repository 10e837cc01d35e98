"""From time series of used memory to phases (HiPC 2024, Section V-A)."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from numba import njit

ROUNDING = 1e-9
"""A score that exceeds the threshold by no more than this (relative) equals it."""
FLAT = 1e-12
"""A series whose differences spread by less than this share of the largest one has a single phase."""

SINGLE_SAMPLE_S = 1.0
"""Length of a phase that is known from one sample only."""


def segment(samples: pl.DataFrame, delta: float = 2.0) -> pl.DataFrame:
    """Cut every series where its used memory changes by more than `delta` standard deviations.

    samples: series_id (string or integer), time_s (s), used_gb (GB); rows in any order, steps of any length.
    delta: threshold Δ on the z-score of a difference, (d - mean) / std with the population std of the series.

    Returns series_id (dtype as given), phase (from 0), start_s, end_s (s), memory_gb (GB), sorted by series and phase.
    A frontier stands at the later sample of a difference with |z| > delta; a phase is half-open, [frontier, next
    frontier), and needs the maximum of its samples. The last phase lasts one more step, as long as the last one of the
    series: real steps vary, and that one is the nearest to the unseen end. A series whose differences are all alike has
    one phase, a single sample lasts 1 s.

    Raises ValueError for a missing column, a value that is null or not finite, or a time that occurs twice in a series.
    Source: HiPC 2024, Section V-A; what it leaves open is read as in the model page of hpc_memory.
    """
    if not delta >= 0:
        raise ValueError(f"delta is {delta}; a threshold in standard deviations must be >= 0")
    samples, first = _in_time_order(_checked(samples, ["series_id", "time_s", "used_gb"], "series_id"), "series_id")
    if samples.is_empty():
        return samples.select(
            "series_id",
            pl.lit(0, pl.Int64).alias("phase"),
            pl.col("time_s").alias("start_s"),
            pl.col("time_s").alias("end_s"),
            pl.col("used_gb").alias("memory_gb"),
        )
    time = samples["time_s"].to_numpy()
    used = samples["used_gb"].to_numpy()
    repeated = np.flatnonzero(np.diff(time) == 0)
    repeated = repeated[~np.isin(repeated + 1, first)]
    if repeated.size:
        row = samples.row(int(repeated[0]), named=True)
        raise ValueError(
            f"series {row['series_id']!r} has several samples at time_s = {row['time_s']:g}; a series has one a time"
        )

    start = np.flatnonzero(_phase_begins(first, used, float(delta)))
    end_s = np.append(time[start[1:]], 0.0)
    last_phase = np.searchsorted(start, first[1:], side="left") - 1
    end_s[last_phase] = _series_ends(first, time)
    first_phase = np.searchsorted(start, first[:-1])
    phases_of_series = np.diff(np.append(first_phase, start.size))
    return pl.DataFrame(
        {
            "series_id": samples["series_id"].gather(start),
            "phase": np.arange(start.size) - np.repeat(first_phase, phases_of_series),
            "start_s": time[start],
            "end_s": end_s,
            "memory_gb": np.maximum.reduceat(used, start),
        }
    )


def job_series(samples: pl.DataFrame) -> pl.DataFrame:
    """One series a job from those of its nodes: at every time of the job the maximum over its nodes' latest values.

    samples: job_id (string or integer), node (likewise; null is one node more), time_s (s), used_gb (GB); any order.
    A node counts from its first sample on, and keeps its last value until the job's end.

    Returns series_id (the job_id, dtype as given), time_s, used_gb, one row for each distinct time of the job, sorted
    by both: what `segment` takes. Raises ValueError for a missing column, a value that is null or not finite, or a
    time that occurs twice on a node.
    """
    samples = _checked(samples, ["job_id", "node", "time_s", "used_gb"], "job_id")
    samples, first = _in_time_order(samples, "job_id")
    node = samples["node"].rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
    time = samples["time_s"].to_numpy()
    used, is_last, repeated = _running_maximum(
        first, node, time, samples["used_gb"].to_numpy(), int(node.max(initial=0)) + 1
    )
    if repeated >= 0:
        row = samples.row(repeated, named=True)
        raise ValueError(
            f"job {row['job_id']!r} has several samples of node {row['node']!r} at time_s = {row['time_s']:g}; "
            "a node has one a time"
        )
    rows = np.flatnonzero(is_last)
    return pl.DataFrame({"series_id": samples["job_id"].gather(rows), "time_s": time[rows], "used_gb": used[rows]})


def require(frame: pl.DataFrame, columns: list[str], what: str) -> None:
    """Raise ValueError naming the columns that `frame` lacks."""
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ValueError(f"{what}: missing column {', '.join(missing)}; found {', '.join(frame.columns) or 'none'}")


def first_rows(frame: pl.DataFrame, by: list[str]) -> np.ndarray:
    """First row of every run of equal `by` (nulls are equal to each other), and the number of rows at the end."""
    if frame.is_empty():
        return np.zeros(1, np.int64)
    changed = frame.select(pl.any_horizontal(pl.col(name).ne_missing(pl.col(name).shift()) for name in by)).to_series()
    begins = changed.to_numpy(writable=True)
    begins[0] = True
    return np.append(np.flatnonzero(begins), frame.height)


def _checked(samples: pl.DataFrame, columns: list[str], key: str) -> pl.DataFrame:
    require(samples, columns, "samples")
    samples = samples.select(columns).with_columns(pl.col("time_s", "used_gb").cast(pl.Float64))
    if samples[key].null_count():
        raise ValueError(f"samples: {key} is null in {samples[key].null_count()} rows; every sample needs one")
    for name in ("time_s", "used_gb"):
        finite = samples[name].is_finite().fill_null(False)
        if not finite.all():
            row = samples.row((~finite).arg_max(), named=True)
            raise ValueError(f"series {row[key]!r}: {name} is {row[name]}; a sample needs a finite number")
    return samples


def _in_time_order(samples: pl.DataFrame, key: str) -> tuple[pl.DataFrame, np.ndarray]:
    """The rows sorted by `key` and time (untouched where they are so already), and the first row of every series."""
    first = first_rows(samples, [key])
    backwards = np.flatnonzero(np.diff(samples["time_s"].to_numpy()) < 0) + 1
    # Traces mostly come sorted; seeing that is ten times cheaper than sorting strings.
    if np.isin(backwards, first).all() and samples[key].gather(first[:-1]).is_sorted():
        return samples, first
    samples = samples.sort(key, "time_s")
    return samples, first_rows(samples, [key])


def _series_ends(first: np.ndarray, time: np.ndarray) -> np.ndarray:
    last = first[1:] - 1
    single = np.diff(first) == 1
    step = np.where(single, SINGLE_SAMPLE_S, time[last] - time[last - 1])
    return time[last] + step


@njit(cache=True)
def _phase_begins(first, used, delta):
    """Whether each sample begins a phase; series s owns the samples first[s] .. first[s + 1] - 1."""
    begins = np.zeros(used.size, np.bool_)
    for s in range(first.size - 1):
        lo, hi = first[s], first[s + 1]
        begins[lo] = True
        differences = hi - lo - 1
        if differences == 0:
            continue
        total = 0.0
        largest = 0.0
        for i in range(lo + 1, hi):
            d = used[i] - used[i - 1]
            total += d
            largest = max(largest, abs(d))
        mean = total / differences
        squares = 0.0
        for i in range(lo + 1, hi):
            deviation = used[i] - used[i - 1] - mean
            squares += deviation * deviation
        std = math.sqrt(squares / differences)
        if std == 0.0 or std < FLAT * largest:
            continue
        for i in range(lo + 1, hi):
            begins[i] = abs(used[i] - used[i - 1] - mean) > delta * std * (1.0 + ROUNDING)
    return begins


@njit(cache=True)
def _running_maximum(first, node, time, used, nodes):
    """Maximum over the nodes' latest values after each sample of a job, for rows sorted by job and time.

    A tournament tree over the job's nodes: its root is the maximum, an update walks from one leaf to the root.
    Returns the maxima, whether a row is the last of its time in its job, and a row that repeats the time of its node
    (-1 = none).
    """
    maximum = np.empty(used.size)
    is_last = np.zeros(used.size, np.bool_)
    slot = np.zeros(nodes, np.int64)
    job_of_slot = np.full(nodes, -1, np.int64)
    seen_at = np.empty(nodes)
    tree = np.empty(2 * nodes)
    for job in range(first.size - 1):
        lo, hi = first[job], first[job + 1]
        count = 0
        for i in range(lo, hi):
            if job_of_slot[node[i]] != job:
                job_of_slot[node[i]] = job
                slot[node[i]] = count
                seen_at[node[i]] = -np.inf
                count += 1
        tree[: 2 * count] = -np.inf
        for i in range(lo, hi):
            if seen_at[node[i]] == time[i]:
                return maximum, is_last, i
            seen_at[node[i]] = time[i]
            position = count + slot[node[i]]
            tree[position] = used[i]
            while position > 1:
                position //= 2
                tree[position] = max(tree[2 * position], tree[2 * position + 1])
            maximum[i] = tree[1]
            is_last[i] = i + 1 == hi or time[i + 1] != time[i]
    return maximum, is_last, -1
