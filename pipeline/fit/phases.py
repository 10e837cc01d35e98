"""From time series of used memory to phases (HiPC 2024, Section V-A)."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import polars as pl
from numba import njit

from pipeline.simulation.arrays import stable_order

ROUNDING = 1e-9
"""A score that exceeds the threshold by no more than this (relative) equals it."""
FLAT = 1e-12
"""A series whose differences spread by less than this share of the largest one has a single phase."""

CROWDED = 16
"""Samples a node in one bucket of time from which on sorting is the faster way."""

MEAN, MAX = "mean", "max"
"""What the memory of a job is at a time, per node: the mean over its nodes, or their maximum (fit.node_memory)."""

SINGLE_SAMPLE_S = 1.0
"""Length of a phase that is known from one sample only."""


def segment(samples: pl.DataFrame, delta: float = 2.0) -> pl.DataFrame:
    """Cut every series where its used memory changes by more than `delta` standard deviations.

    samples: series_id (string or integer), time_s (s), used_gb (GB), and memory_gb (GB) where what is needed at a time
    is something else than what shows the changes (see job_series); rows in any order, steps of any length.
    delta: threshold Δ on the z-score of a difference, (d - mean) / std with the population std of the series.

    Returns series_id (dtype as given), phase (from 0), start_s, end_s (s), memory_gb (GB), sorted by series and phase.
    A frontier stands at the later sample of a difference with |z| > delta; a phase is half-open, [frontier, next
    frontier), and needs the maximum of its samples. The last phase lasts one more step, as long as the last one of the
    series: real steps vary, and that one is the nearest to the unseen end. A series whose differences are all alike has
    one phase, a single sample lasts 1 s.

    Raises ValueError for a missing column, a value that is null or not finite, or a time that occurs twice in a series.
    Source: HiPC 2024, Section V-A; what it leaves open is read as the model page says.
    """
    if not delta >= 0:
        raise ValueError(f"delta is {delta}; a threshold in standard deviations must be >= 0")
    columns = ["series_id", "time_s", "used_gb", *(["memory_gb"] if "memory_gb" in samples.columns else [])]
    samples, first = _in_time_order(_checked(samples, columns, "series_id"), "series_id")
    if samples.is_empty():
        return samples.select(
            "series_id",
            pl.lit(0, pl.Int64).alias("phase"),
            pl.col("time_s").alias("start_s"),
            pl.col("time_s").alias("end_s"),
            pl.col(columns[-1]).alias("memory_gb"),
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

    phases = cut(first, time, used, float(delta), samples[columns[-1]].to_numpy())
    return pl.DataFrame(
        {
            "series_id": samples["series_id"].gather(first[phases.series]),
            "phase": phases.phase,
            "start_s": phases.start_s,
            "end_s": phases.end_s,
            "memory_gb": phases.memory_gb,
        }
    )


class Phases(NamedTuple):
    """Phases of several series, by series and position."""

    series: np.ndarray  # int64, number of the series
    phase: np.ndarray  # int64, from 0 in each series
    start_s: np.ndarray
    end_s: np.ndarray
    memory_gb: np.ndarray


def cut(
    first: np.ndarray, time_s: np.ndarray, used_gb: np.ndarray, delta: float, memory_gb: np.ndarray | None = None
) -> Phases:
    """What `segment` does, on arrays: series s has the samples first[s] .. first[s + 1] - 1 (at least one), times
    increasing. memory_gb: what is needed at each, by default used_gb.
    """
    start = np.flatnonzero(_phase_begins(first, used_gb, delta))
    end_s = np.append(time_s[start[1:]], 0.0)
    last_phase = np.searchsorted(start, first[1:], side="left") - 1
    end_s[last_phase] = _series_ends(first, time_s)
    first_phase = np.searchsorted(start, first[:-1])
    phases_of_series = np.diff(np.append(first_phase, start.size))
    return Phases(
        np.repeat(np.arange(len(first) - 1), phases_of_series),
        np.arange(start.size) - np.repeat(first_phase, phases_of_series),
        time_s[start],
        end_s,
        np.maximum.reduceat(used_gb if memory_gb is None else memory_gb, start),
    )


def job_series(samples: pl.DataFrame, node_memory: str = MEAN) -> pl.DataFrame:
    """One series per job from those of its nodes: what shows its phases, and what it needs, at every time of the job.

    samples: job_id (string or integer), node (likewise; null is one node more), time_s (s), used_gb (GB); any order.
    node_memory: what the job needs per node is the mean over its nodes' latest values (MEAN) or their maximum (MAX). A
    pool gives the sum over the nodes, that is their number times the mean; the maximum is the paper's reading, which
    asks for more than the nodes use. A node counts from its first sample on, and keeps its last value until the job's
    end: one without a sample at a time does not count as if it used nothing. Nodes that are never sampled are taken to
    be like the others.

    Returns series_id (the job_id, dtype as given), time_s, used_gb (the maximum over the nodes, which phases are told
    by: nodes are sampled at times of their own, so that a change of all shows in their mean as many small ones) and
    memory_gb (what is needed), one row for each distinct time of the job, sorted by job and time: what `segment`
    takes. Raises ValueError for a missing column, a value that is null or not finite, or a time that occurs twice on a
    node.
    """
    samples = _checked(samples, ["job_id", "node", "time_s", "used_gb"], "job_id")
    samples = samples.sort("job_id", "node", "time_s", nulls_last=False)
    first = first_rows(samples, ["job_id", "node"])
    time = samples["time_s"].to_numpy()
    repeated = np.flatnonzero(np.diff(time) == 0)
    repeated = repeated[~np.isin(repeated + 1, first)]
    if repeated.size:
        row = samples.row(int(repeated[0]), named=True)
        raise ValueError(
            f"job {row['job_id']!r} has several samples of node {row['node']!r} at time_s = {row['time_s']:g}; "
            "a node has one a time"
        )
    of_job = first_rows(samples, ["job_id"])
    whole, time_s, top_gb, mean_gb = merge_nodes(
        np.searchsorted(first, of_job), first, time, samples["used_gb"].to_numpy()
    )
    of_row = np.repeat(of_job[:-1], np.diff(whole))
    return pl.DataFrame(
        {
            "series_id": samples["job_id"].gather(of_row),
            "time_s": time_s,
            "used_gb": top_gb,
            "memory_gb": mean_gb if node_memory == MEAN else top_gb,
        }
    )


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
    numbers = [name for name in columns if name in ("time_s", "used_gb", "memory_gb")]
    samples = samples.select(columns).with_columns(pl.col(numbers).cast(pl.Float64))
    if samples[key].null_count():
        raise ValueError(f"samples: {key} is null in {samples[key].null_count()} rows; every sample needs one")
    for name in numbers:
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
def merge_nodes(first_series, first, time_s, used_gb):
    """One series per job from those of its nodes, on arrays: maximum and mean of the nodes' latest values over time.

    Job j has the series first_series[j] .. first_series[j + 1] - 1, series s the samples first[s] .. first[s + 1] - 1,
    their times increasing. A node counts from its first sample on and keeps its last value until the job's end.
    Returns first sample of each job (and their number), time_s, maximum and mean (GB).

    A job's samples are put in the order of time by buckets: nodes are sampled about evenly, so a bucket holds few. The
    maximum is looked for anew only when the node that has it falls, on average once in as many samples as there are
    nodes: time is linear in the samples. The sum is kept as a tree of sums of pairs, so that it depends on the nodes'
    values alone and not on what they were before; a sample takes time in the logarithm of the nodes.
    """
    jobs = first_series.size - 1
    whole = np.zeros(jobs + 1, np.int64)
    merged_s, merged_gb, mean_gb = np.empty(time_s.size), np.empty(time_s.size), np.empty(time_s.size)
    widest, longest = 0, 0
    for j in range(jobs):
        widest = max(widest, first_series[j + 1] - first_series[j])
        longest = max(longest, first[first_series[j + 1]] - first[first_series[j]])
    latest = np.empty(widest)
    sums = np.empty(4 * widest)
    order, series_of = np.empty(longest, np.int64), np.empty(longest, np.int32)
    begin_of, filled = np.empty(longest, np.int64), np.empty(longest, np.int64)
    written = 0
    for j in range(jobs):
        a, b = first_series[j], first_series[j + 1]
        low, high = first[a], first[b]
        if b - a == 1:
            for i in range(low, high):
                merged_s[written], merged_gb[written], mean_gb[written] = time_s[i], used_gb[i], used_gb[i]
                written += 1
            whole[j + 1] = written
            continue
        _by_time(first, time_s, a, b, order, series_of, begin_of, filled)
        for k in range(b - a):
            latest[k] = -np.inf
        leaves = 1
        while leaves < b - a:
            leaves *= 2
        sums[: 2 * leaves] = 0.0
        seen = 0
        top, leader = -np.inf, 0
        for n in range(high - low):
            i = order[n]
            s = series_of[n]
            value = used_gb[i]
            seen += latest[s] == -np.inf
            latest[s] = value
            at = leaves + s
            sums[at] = value
            while at > 1:
                at //= 2
                sums[at] = sums[2 * at] + sums[2 * at + 1]
            if value >= top:
                top, leader = value, s
            elif s == leader:
                top = value
                for k in range(b - a):
                    if latest[k] > top:
                        top, leader = latest[k], k
            if n + 1 == high - low or time_s[order[n + 1]] != time_s[i]:
                merged_s[written], merged_gb[written] = time_s[i], top
                # Rounding may take the mean of equal values above them.
                mean_gb[written] = min(sums[1] / seen, top)
                written += 1
        whole[j + 1] = written
    return whole, merged_s[:written], merged_gb[:written], mean_gb[:written]


@njit(cache=True)
def _by_time(first, time_s, a, b, order, series_of, begin_of, filled):
    """Samples of the series a .. b - 1 in the order of time: `order` their positions, `series_of` their series - a."""
    low, high = first[a], first[b]
    count = high - low
    begin, end = np.inf, -np.inf
    for s in range(a, b):
        begin, end = min(begin, time_s[first[s]]), max(end, time_s[first[s + 1] - 1])
    span = end - begin
    scale = (count - 1) / span if span > 0.0 else 0.0
    has_places = np.isfinite(span) and np.isfinite(scale)
    filled[:count] = 0
    for i in range(low, high if has_places else low):
        filled[int((time_s[i] - begin) * scale)] += 1
    total, fullest = 0, 0
    for k in range(count):
        begin_of[k] = total
        total += filled[k]
        fullest = max(fullest, filled[k])
        filled[k] = begin_of[k]
    if not has_places or fullest > CROWDED * (b - a):
        in_order = stable_order(time_s[low:high])
        for n in range(count):
            i = low + in_order[n]
            order[n] = i
            series_of[n] = np.searchsorted(first[a : b + 1], i, side="right") - 1
        return
    for s in range(a, b):
        for i in range(first[s], first[s + 1]):
            k = int((time_s[i] - begin) * scale)
            place = filled[k]
            filled[k] = place + 1
            while place > begin_of[k] and time_s[order[place - 1]] > time_s[i]:
                order[place], series_of[place] = order[place - 1], series_of[place - 1]
                place -= 1
            order[place], series_of[place] = i, s - a
