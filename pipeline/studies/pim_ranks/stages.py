"""VirtualPIM: jobs as programs of host work, gangs of ranks and units of one rank, first come first served.

Coarse runs a job as host work, one gang (its requested ranks from the first to the last PIM operation, host work in
between included), host work. Fine runs each kernel stage as units of one rank's slice, which start as ranks are free
and all end before the next stage begins; host work in between holds no ranks. The host has room for everybody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from pipeline.studies.pim_ranks.model import INSTANT, measure

HOST, GANG, UNITS = 0, 1, 2
KINDS = ("host_pre", "kernel", "host_mid", "host_post")


class Stage(NamedTuple):
    """One stage of an application: `time_s` of host work; of a kernel, seconds on one rank and serial ones a rank."""

    kind: str
    time_s: float
    input_s: float
    kernel_s: float
    output_s: float
    serial_s: float


Segment = tuple[int, int, float]
"""Kind (HOST, GANG or UNITS), ranks or units, and seconds of each."""


def coarse(stages: Sequence[Stage], ranks: int, overhead: float) -> list[Segment]:
    """Segments under Coarse: the gang holds `ranks` from the first kernel stage to the last.

    A kernel stage takes (input + kernel + output) / ranks + ranks * serial: what is divided among ranks goes on at
    once, serial transfers one rank after the other.
    """
    before, inner, after = _parts(stages)
    held = sum(_gang_s(stage, ranks) if stage.kind == "kernel" else stage.time_s for stage in inner)
    gang = (GANG, ranks, held * (1 + overhead))
    return _without_empty_host([(HOST, 0, before), gang, (HOST, 0, after)])


def fine(stages: Sequence[Stage], ranks: int, overhead: float) -> list[Segment]:
    """Segments under Fine: `ranks` units a kernel stage, each (input + kernel + output) / ranks + serial long.

    Each later kernel stage sends the first one's input again (a unit finds no data left from the stage before).
    """
    before, inner, after = _parts(stages)
    first_input_s = inner[0].input_s
    segments: list[Segment] = [(HOST, 0, before)]
    for place, stage in enumerate(inner):
        if stage.kind != "kernel":
            segments.append((HOST, 0, stage.time_s))
            continue
        again_s = first_input_s if place else 0.0
        slice_s = (stage.input_s + stage.kernel_s + stage.output_s + again_s) / ranks + stage.serial_s
        segments.append((UNITS, ranks, slice_s * (1 + overhead)))
    return _without_empty_host([*segments, (HOST, 0, after)])


def cheaper(stages: Sequence[Stage], ranks: int, overhead: float, limit: float) -> list[Segment]:
    """Segments under Co-op: Fine's where their rank-time is at most `limit` times Coarse's, else Coarse's.

    `overhead` is that of units; Coarse is compared and run without any.
    """
    whole, sliced = coarse(stages, ranks, 0.0), fine(stages, ranks, overhead)
    return sliced if rank_s(sliced) <= limit * rank_s(whole) * (1 + INSTANT) else whole


def rank_s(segments: Sequence[Segment]) -> float:
    """Rank-time: seconds times ranks held (rank-s)."""
    return sum(count * seconds for _, count, seconds in segments)


def _parts(stages: Sequence[Stage]) -> tuple[float, Sequence[Stage], float]:
    """Host seconds before the first kernel stage, the stages from it to the last one, host seconds after that."""
    kernels = [place for place, stage in enumerate(stages) if stage.kind == "kernel"]
    first, last = kernels[0], kernels[-1]
    before, after = stages[:first], stages[last + 1 :]
    return sum(s.time_s for s in before), stages[first : last + 1], sum(s.time_s for s in after)


def _gang_s(stage: Stage, ranks: int) -> float:
    return (stage.input_s + stage.kernel_s + stage.output_s) / ranks + ranks * stage.serial_s


def _without_empty_host(segments: list[Segment]) -> list[Segment]:
    return [segment for segment in segments if segment[0] != HOST or segment[2] > 0]


@njit(cache=True)
def _push(time_heap, job_heap, rank_heap, size, time, job, ranks):
    k = size
    while k > 0 and time_heap[(k - 1) // 2] > time:
        up = (k - 1) // 2
        time_heap[k], job_heap[k], rank_heap[k] = time_heap[up], job_heap[up], rank_heap[up]
        k = up
    time_heap[k], job_heap[k], rank_heap[k] = time, job, ranks


@njit(cache=True)
def _pop(time_heap, job_heap, rank_heap, size):
    size -= 1
    time, job, ranks = time_heap[size], job_heap[size], rank_heap[size]
    k = 0
    while True:
        child = 2 * k + 1
        if child >= size:
            break
        if child + 1 < size and time_heap[child + 1] < time_heap[child]:
            child += 1
        if time_heap[child] >= time:
            break
        time_heap[k], job_heap[k], rank_heap[k] = time_heap[child], job_heap[child], rank_heap[child]
        k = child
    time_heap[k], job_heap[k], rank_heap[k] = time, job, ranks


@njit(cache=True)
def run(scenario, machine_ranks, first_out, workload, program_set, first_job, release, app, row_of,
        first_segment, kind, count, seconds, requested, bare_rank_s, start, freed, end, ranks, measures):  # fmt: skip
    """Replay the scenarios of the numbers in `scenario`.

    One a scenario: machine_ranks, first_out, workload, program_set. One a workload: first_job; one a job: release (s
    since the first arrival), app. row_of: program of (program set, app); one a program: first_segment, requested ranks,
    bare_rank_s (rank-time without overhead); one a segment: kind, count, seconds. A job whose gang is larger than
    the machine does not run (NaN, 0 ranks). Writes start (first rank held), freed (last rank given back), end, ranks
    and measures.
    """
    most = 1
    for s in scenario:
        most = max(most, first_job[workload[s] + 1] - first_job[workload[s]])
    most_ranks = 1
    for s in scenario:
        most_ranks = max(most_ranks, machine_ranks[s])
    segment, last_segment = np.empty(most, np.int64), np.empty(most, np.int64)
    waiting_units, running_units = np.empty(most, np.int64), np.empty(most, np.int64)
    queue, newcomer = np.empty(most, np.int64), np.empty(most, np.int64)
    time_heap = np.empty(most + most_ranks + 1)
    job_heap, rank_heap = np.empty(most + most_ranks + 1, np.int64), np.empty(most + most_ranks + 1, np.int64)

    for s in scenario:
        first = first_job[workload[s]]
        jobs = first_job[workload[s] + 1] - first
        out, R = first_out[s], machine_ranks[s]
        bare = 0.0
        for j in range(jobs):
            program = row_of[program_set[s], app[first + j]]
            segment[j], last_segment[j] = first_segment[program] - 1, first_segment[program + 1]
            ranks[out + j] = requested[program]
            for k in range(first_segment[program], first_segment[program + 1]):
                if kind[k] == GANG and count[k] > R:
                    ranks[out + j] = 0
            if ranks[out + j] > 0:
                bare += bare_rank_s[program]
        running_units[:] = 0
        free, pending, arrived, head, tail = R, 0, 0, 0, 0
        held_rank_s = 0.0
        while pending > 0 or arrived < jobs:
            now = np.inf
            if pending > 0:
                now = time_heap[0]
            if arrived < jobs:
                now = min(now, release[first + arrived])
            limit = now * (1.0 + INSTANT)
            # Frees and ends of host work, then arrivals: each may bring a job to its next segment.
            new = 0
            while pending > 0 and time_heap[0] <= limit:
                now = max(now, time_heap[0])
                j = job_heap[0]
                free += rank_heap[0]
                running_units[j] -= rank_heap[0]
                if rank_heap[0] > 0:
                    freed[out + j] = time_heap[0]
                _pop(time_heap, job_heap, rank_heap, pending)
                pending -= 1
                if running_units[j] == 0 and waiting_units[j] == 0:
                    newcomer[new] = j
                    new += 1
            while arrived < jobs and release[first + arrived] <= limit:
                now = max(now, release[first + arrived])
                waiting_units[arrived] = 0
                if ranks[out + arrived] > 0:
                    newcomer[new] = arrived
                    new += 1
                arrived += 1
            # At one instant requests queue in the order of their jobs.
            queued = np.sort(newcomer[:new])
            for i in range(new):
                j = queued[i]
                segment[j] += 1
                k = segment[j]
                if k == last_segment[j]:
                    end[out + j] = now
                elif kind[k] == HOST:
                    _push(time_heap, job_heap, rank_heap, pending, now + seconds[k], j, 0)
                    pending += 1
                else:
                    waiting_units[j] = count[k]
                    queue[tail % jobs] = j
                    tail += 1
            while head < tail and free > 0:
                j = queue[head % jobs]
                k = segment[j]
                if kind[k] == GANG and count[k] > free:
                    break
                units = min(waiting_units[j], free)
                if np.isnan(start[out + j]):
                    start[out + j] = now
                waiting_units[j] -= units
                running_units[j] += units
                free -= units
                held_rank_s += units * seconds[k]
                _push(time_heap, job_heap, rank_heap, pending, now + seconds[k], j, units)
                pending += 1
                if waiting_units[j] == 0:
                    head += 1
        measure(
            release[first : first + jobs], end[out : out + jobs], held_rank_s,
            held_rank_s / bare - 1.0 if bare > 0 else 0.0, R, measures[s],
        )  # fmt: skip
