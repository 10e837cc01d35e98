"""Samples of nodes joined to the jobs that ran there, in bounded memory.

Samples come in batches of any order and size. A job's samples wait until no batch to come can hold another one of them
(`take`); then they leave, sorted, job by job in the order of the jobs' ends. What leaves does not depend on how the
samples were cut into batches.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.readers._placements import Placements
from pipeline.tables.series import JobSeries

USED, NO_JOB, INVALID, NEGATIVE, NO_CAPACITY, TOO_LATE = 0, 1, 2, 3, 4, 5
"""Fate of a row: taken, of no job that is kept, not a number, use below zero, capacity of the node not known, of a job
that was taken before."""

UNKNOWN_NODE, NULL_NODE = -1, -2
NO_TIME = np.iinfo(np.int64).min
EVER_MS = (NO_TIME + 1, np.iinfo(np.int64).max)


class Batch(NamedTuple):
    """Rows of one file: node numbers (or UNKNOWN_NODE, NULL_NODE), times (NO_TIME = null), values (nan = null)."""

    node: np.ndarray  # int64
    time_ms: np.ndarray  # int64, since 1970
    value: np.ndarray  # float32 or float64
    first_row: int  # number of the first row, unique among all files


class _Waiting(NamedTuple):
    slot: np.ndarray  # int32
    time_ms: np.ndarray  # int64
    value: np.ndarray  # float64
    row: np.ndarray  # int64


class Taken(NamedTuple):
    """Samples of complete jobs by slot, then time; `repeated` are rows with the time of another of their slot."""

    first_job: int
    past_job: int
    first: np.ndarray  # int64 (slots of the jobs + 1)
    time_ms: np.ndarray
    value: np.ndarray
    repeated: np.ndarray  # int64, numbers of rows


class JoinedSamples:
    """One metric on its way from rows of nodes to series of jobs; values become `base[node] + factor * value`."""

    def __init__(self, placements: Placements, base: np.ndarray, factor: float):
        self._placements = placements
        self._base, self._factor = base, factor
        self._waiting = _room(1 << 16)
        self._count = 0
        self._taken = 0

    def append(self, batch: Batch) -> np.ndarray:
        """Take the rows of a batch; returns the fate of each (uint8)."""
        needed = self._count + len(batch.time_ms)
        if needed > len(self._waiting.slot):
            larger = _room(max(needed, 2 * len(self._waiting.slot)))
            for old, new in zip(self._waiting, larger, strict=True):
                new[: self._count] = old[: self._count]
            self._waiting = larger
        fate = np.empty(len(batch.time_ms), np.uint8)
        self._count = _join(
            batch.node, batch.time_ms, batch.value, batch.first_row, self._base, self._factor, self._placements,
            self._placements.first_slot[self._taken], self._waiting, self._count, fate,
        )  # fmt: skip
        return fate

    def take(self, until_ms: int | None) -> Taken:
        """Samples of the jobs that end by `until_ms` (None: of all), for no later batch has samples before that."""
        ends = self._placements.job_end_ms
        past = len(ends) if until_ms is None else int(np.searchsorted(ends, until_ms, side="right"))
        first_job, self._taken = self._taken, max(past, self._taken)
        first_slot = self._placements.first_slot
        low, high = int(first_slot[first_job]), int(first_slot[self._taken])
        first, order, self._count = _by_slot(self._waiting, self._count, low, high)
        time_ms, value, row, repeated = order
        repeated_rows = _tidy(first, time_ms, value, row, repeated)
        if repeated_rows:
            first, time_ms, value, gone = _without(first, time_ms, value, row, repeated)
        else:
            gone = np.empty(0, np.int64)
        return Taken(first_job, self._taken, first, time_ms, value, gone)


def series(taken: Taken, placements: Placements, origin_ms: int) -> JobSeries:
    """The samples as series of jobs; jobs and nodes without samples are not in it."""
    low = placements.first_slot[taken.first_job]
    jobs = np.arange(taken.first_job, taken.past_job)
    count = np.diff(taken.first)
    full = count > 0
    owner = np.repeat(jobs, np.diff(placements.first_slot[taken.first_job : taken.past_job + 1]))
    node = placements.slot_node[low : low + len(count)]
    job, series_of_job = np.unique(owner[full], return_counts=True)
    return JobSeries(
        job.astype(np.int64),
        np.concatenate([[0], np.cumsum(series_of_job)]).astype(np.int64),
        node[full],
        np.concatenate([[0], np.cumsum(count[full])]).astype(np.int64),
        (taken.time_ms - origin_ms) / 1000.0,
        taken.value,
    )


def _room(rows: int) -> _Waiting:
    return _Waiting(
        np.empty(rows, np.int32), np.empty(rows, np.int64), np.empty(rows, np.float64), np.empty(rows, np.int64)
    )


@njit(cache=True)
def interval(first, job, slot, start_ms, end_ms, node, time_ms):
    """The stretch of a node's time around an instant in which one job, or none, ran: begin, end, slot (-1 = none).

    The first five are fields of `Placements`, start_ms and end_ms those of the jobs.
    """
    low, high = first[node], first[node + 1]
    begin, past = low, high
    while begin < past:
        middle = (begin + past) // 2
        if end_ms[job[middle]] <= time_ms:
            begin = middle + 1
        else:
            past = middle
    if begin < high and start_ms[job[begin]] <= time_ms:
        return start_ms[job[begin]], end_ms[job[begin]], np.int64(slot[begin])
    after = end_ms[job[begin - 1]] if begin > low else EVER_MS[0]
    before = start_ms[job[begin]] if begin < high else EVER_MS[1]
    return after, before, np.int64(-1)


@njit(cache=True)
def _join(node, time_ms, value, first_row, base, factor, placements, open_slot, waiting, count, fate):
    # Fields of tuples and calls with them are slow inside the loop; most rows lie where the one before lay.
    first, job, slot = placements.first, placements.job, placements.slot
    start_ms, end_ms = placements.job_start_ms, placements.job_end_ms
    to_slot, to_time, to_value, to_row = waiting.slot, waiting.time_ms, waiting.value, waiting.row
    here, begin, end, row_slot = np.int64(-9), np.int64(0), np.int64(0), np.int64(-1)
    for i in range(time_ms.size):
        n = node[i]
        v = np.float64(value[i])
        t = time_ms[i]
        if n == NULL_NODE or t == NO_TIME or not np.isfinite(v) or v < 0.0:
            fate[i] = INVALID
            continue
        if n == UNKNOWN_NODE:
            fate[i] = NO_JOB
            continue
        used = base[n] + factor * v
        if used < 0.0:
            fate[i] = NEGATIVE
            continue
        if n != here or t < begin or t >= end:
            begin, end, row_slot = interval(first, job, slot, start_ms, end_ms, n, t)
            here = n
        if row_slot < 0:
            fate[i] = NO_JOB
            continue
        if np.isnan(used):
            fate[i] = NO_CAPACITY
            continue
        if row_slot < open_slot:
            fate[i] = TOO_LATE
            continue
        fate[i] = USED
        to_slot[count] = row_slot
        to_time[count] = t
        to_value[count] = used
        to_row[count] = first_row + i
        count += 1
    return count


@njit(cache=True)
def _by_slot(waiting, count, low, high):
    """Rows of the slots low .. high - 1 ordered by slot, else as they came; the others move to the front."""
    first = np.zeros(high - low + 1, np.int64)
    for i in range(count):
        s = waiting.slot[i]
        if s < high:
            first[s - low + 1] += 1
    for s in range(high - low):
        first[s + 1] += first[s]
    at = first[:-1].copy()
    rows = first[high - low]
    time_ms, value = np.empty(rows, np.int64), np.empty(rows, np.float64)
    row, repeated = np.empty(rows, np.int64), np.zeros(rows, np.bool_)
    remaining = 0
    for i in range(count):
        s = waiting.slot[i]
        if s < high:
            place = at[s - low]
            at[s - low] = place + 1
            time_ms[place] = waiting.time_ms[i]
            value[place] = waiting.value[i]
            row[place] = waiting.row[i]
        else:
            waiting.slot[remaining] = s
            waiting.time_ms[remaining] = waiting.time_ms[i]
            waiting.value[remaining] = waiting.value[i]
            waiting.row[remaining] = waiting.row[i]
            remaining += 1
    return first, (time_ms, value, row, repeated), remaining


@njit(cache=True)
def _tidy(first, time_ms, value, row, repeated):
    """Sort each slot by time where it is not sorted, and mark all but the largest value of one time; returns how many.

    The largest counts, whatever file it came from, so that the result does not depend on the order of the files; of
    equal ones the first row.
    """
    marked = 0
    for s in range(first.size - 1):
        low, high = first[s], first[s + 1]
        sorted_so_far = True
        apart = True
        for i in range(low + 1, high):
            if time_ms[i] <= time_ms[i - 1]:
                apart = False
                if time_ms[i] < time_ms[i - 1]:
                    sorted_so_far = False
                    break
        if apart:
            continue
        if not sorted_so_far:
            order = np.argsort(time_ms[low:high], kind="mergesort")
            time_ms[low:high] = time_ms[low:high][order]
            value[low:high] = value[low:high][order]
            row[low:high] = row[low:high][order]
        best = low
        for i in range(low + 1, high):
            if time_ms[i] != time_ms[best]:
                best = i
                continue
            marked += 1
            if value[i] > value[best] or (value[i] == value[best] and row[i] < row[best]):
                repeated[best] = True
                best = i
            else:
                repeated[i] = True
    return marked


@njit(cache=True)
def _without(first, time_ms, value, row, repeated):
    """The rows without the repeated ones, and the numbers of those."""
    total = time_ms.size
    gone = np.empty(np.sum(repeated), np.int64)
    left = np.zeros(first.size, np.int64)
    filled, lost = 0, 0
    for s in range(first.size - 1):
        for i in range(first[s], first[s + 1]):
            if repeated[i]:
                gone[lost] = row[i]
                lost += 1
            else:
                time_ms[filled] = time_ms[i]
                value[filled] = value[i]
                filled += 1
        left[s + 1] = filled
    return left, time_ms[: total - lost], value[: total - lost], gone
