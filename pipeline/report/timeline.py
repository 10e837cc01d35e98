"""From the instants of a kept replay to what a Gantt chart draws: nodes of each job, speed and memory over time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

BINS = 320
"""Stretches of equal length that a replay is divided into: about one for two pixels."""
SPEED_STEP = 0.05
"""Speeds that round to the same multiple of this are drawn as one box."""
SAME_INSTANT_S = 1e-6
"""Instants closer than this are one (model page, event loop)."""


def pack(start_s: NDArray, end_s: NDArray, nodes: NDArray, machine_nodes: int) -> list[list[tuple[int, int]]]:
    """Nodes of each job: half-open ranges [first, past), one range where there is room for it.

    Best fit: a job goes into the smallest range of free nodes that holds it, at the side where the neighbour ends at
    nearly the same time, which leaves fewer jobs in pieces than the lowest free nodes do. Without such a range it fills
    the largest ones.

    start_s, end_s (s), nodes: one entry per job, in the order of their starts; nodes are numbered from 0. Raises
    ValueError where jobs that run at once need more than `machine_nodes`.
    """
    free_from = np.full(machine_nodes, -np.inf)
    places = []
    for start, end, wanted in zip(start_s, end_s, nodes.tolist(), strict=True):
        ranges = _ranges(np.flatnonzero(free_from <= start + SAME_INSTANT_S))
        if sum(past - first for first, past in ranges) < wanted:
            raise ValueError(f"a job of {wanted} nodes starts at {start} s, when fewer of {machine_nodes} are free")
        holding = [r for r in ranges if r[1] - r[0] >= wanted]
        if holding:
            first, past = min(holding, key=lambda r: (r[1] - r[0], r[0]))
            below = abs(free_from[first - 1] - end) if first > 0 else 0.0
            above = abs(free_from[past] - end) if past < machine_nodes else 0.0
            taken = [(first, first + wanted) if below <= above else (past - wanted, past)]
        else:
            taken = _pieces(ranges, wanted)
        for first, past in taken:
            free_from[first:past] = end
        places.append(taken)
    return places


def _ranges(numbers: NDArray) -> list[tuple[int, int]]:
    """Half-open ranges of consecutive numbers."""
    if not len(numbers):
        return []
    breaks = np.flatnonzero(np.diff(numbers) > 1) + 1
    return [(int(run[0]), int(run[-1]) + 1) for run in np.split(numbers, breaks)]


def _pieces(ranges: list[tuple[int, int]], wanted: int) -> list[tuple[int, int]]:
    """Parts of the largest ranges that together are `wanted` nodes, by number."""
    taken = []
    for first, past in sorted(ranges, key=lambda r: (r[0] - r[1], r[0])):
        size = min(past - first, wanted)
        if size:
            taken.append((first, first + size))
        wanted -= size
    return sorted(taken)


def integral(time_s: NDArray, value: NDArray, at_s: NDArray) -> NDArray:
    """Integral from time_s[0] to each of `at_s` of the step function that has value[i] from time_s[i] on (0 before)."""
    until = np.concatenate([[0.0], np.cumsum(value[:-1] * np.diff(time_s))])
    return np.interp(at_s, time_s, until) + value[-1] * np.maximum(at_s - time_s[-1], 0)


def memory(timeline: pl.DataFrame, end_s: float) -> pl.DataFrame:
    """Mean memory of all jobs together in each of BINS stretches of [0, end_s].

    timeline: job_id, time_s, need_gb, target_gb, usable_gb of one scenario, sorted by job and time. Returns from_s,
    to_s, need_gb, target_gb, usable_gb.
    """
    edges = np.linspace(0.0, end_s, BINS + 1)
    columns = ("need_gb", "target_gb", "usable_gb")
    totals = {name: np.zeros(len(edges)) for name in columns}
    for job in timeline.partition_by("job_id", maintain_order=True):
        for name in columns:
            totals[name] += integral(job["time_s"].to_numpy(), job[name].to_numpy(), edges)
    return pl.DataFrame(
        {"from_s": edges[:-1], "to_s": edges[1:]}
        | {name: np.maximum(np.diff(totals[name]) / np.diff(edges), 0.0) for name in columns}
    )


def speeds(time_s: NDArray, speed: NDArray, end_s: float) -> list[tuple[float, float, float]]:
    """Stretches (from s, to s, mean speed) of one job's life, neighbours of the same rounded speed taken together.

    time_s, speed: the job's step function, from its start to its end, where its speed is 0. end_s: end of the replay,
    which the BINS stretches divide.
    """
    start, end = time_s[0], time_s[-1]
    edges = np.linspace(0.0, end_s, BINS + 1)
    edges = np.concatenate([[start], edges[(edges > start) & (edges < end)], [end]])
    work = integral(time_s, speed, edges)
    rounded = np.rint(np.diff(work) / np.maximum(np.diff(edges), 1e-12) / SPEED_STEP)
    bounds = np.concatenate([[0], np.flatnonzero(np.diff(rounded)) + 1, [len(rounded)]])
    return [
        (float(edges[i]), float(edges[j]), float((work[j] - work[i]) / max(edges[j] - edges[i], 1e-12)))
        for i, j in pairwise(bounds)
    ]


def boxes(timeline: pl.DataFrame, jobs: pl.DataFrame, machine_nodes: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Boxes of one replay: a box a job and range of nodes, and within each the stretches of one speed.

    timeline: job_id, time_s, speed, sorted by job and time; jobs: job_id, submit_s, start_s, end_s, nodes, without
    rejected ones. Returns (job boxes: the columns of jobs, mean_speed, first_node, past_node) and (stretches: job_id,
    from_s, to_s, speed, first_node, past_node).
    """
    jobs = jobs.sort("start_s", "job_id")
    last = jobs["end_s"].max()
    places = pack(jobs["start_s"].to_numpy(), jobs["end_s"].to_numpy(), jobs["nodes"].to_numpy(), machine_nodes)
    lives = {key[0]: life for key, life in timeline.partition_by("job_id", as_dict=True, maintain_order=True).items()}
    outlines, stretches = [], []
    for job, ranges in zip(jobs.iter_rows(named=True), places, strict=True):
        life = lives[job["job_id"]]
        parts = speeds(life["time_s"].to_numpy(), life["speed"].to_numpy(), last)
        whole = sum((to - start) * speed for start, to, speed in parts) / max(job["end_s"] - job["start_s"], 1e-12)
        for first, past in ranges:
            place = {"first_node": first, "past_node": past}
            outlines.append(job | {"mean_speed": whole} | place)
            stretches += [
                {"job_id": job["job_id"], "from_s": start, "to_s": to, "speed": speed} | place
                for start, to, speed in parts
            ]
    return pl.DataFrame(outlines), pl.DataFrame(stretches)
