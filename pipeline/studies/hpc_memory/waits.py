"""Why the jobs of a replay waited: told by its starts and ends, and by those of the same jobs with unlimited memory.

Under EASY a job waits for nodes: fewer are free than it asks for, or enough are, but a job ahead holds a reservation
that it would delay. Memory blocks no start (`docs/models/hpc_memory.md`); it makes jobs slower, which then hold their
nodes for longer. How much of a wait that is, the replay with unlimited memory says.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.runtime.quantities import duration

INSTANT_S = 1e-6
"""Instants closer than this are one (model page, event loop)."""
AT_ONCE, NODES, RESERVED, MEMORY = "nothing", "free nodes", "a job ahead", "memory"
"""What a job waited for."""
WINDOW_JOBS = 200
"""So many consecutive submissions are shown of a replay, those that waited longest together."""
MOST_BOXES = 600
"""Jobs that run within a window; where there are more, the window is cut in halves."""


def windows(jobs: pl.DataFrame, most: int) -> list[tuple[float, float]]:
    """Parts of a replay, at most so many: each from the first submission to the last start (s) of the WINDOW_JOBS
    consecutive jobs that waited longest in all, among those that came outside the parts before it.

    jobs: submit_s, start_s, end_s, of one replay, sorted by submission. Fewer jobs where more than MOST_BOXES would run
    in that time. From the second part on there are only those in which a job waited.
    """
    submit, start, end = (jobs[name].to_numpy() for name in ("submit_s", "start_s", "end_s"))
    waited = np.concatenate([[0.0], np.cumsum(np.maximum(start - submit, 0))])
    within = np.zeros(len(submit), bool)
    parts: list[tuple[float, float]] = []
    while len(parts) < most:
        count = min(WINDOW_JOBS, len(submit))
        shown = np.concatenate([[0], np.cumsum(within)])
        while True:
            is_free = shown[count:] == shown[:-count]
            sums = np.where(is_free, waited[count:] - waited[:-count], -1.0)
            first = int(np.argmax(sums))
            from_s, to_s = float(submit[first]), float(start[first : first + count].max())
            if count == 1 or np.count_nonzero((start <= to_s) & (end > from_s)) <= MOST_BOXES:
                break
            count //= 2
        if parts and sums[first] <= 0:
            break
        parts.append((from_s, to_s))
        within |= (submit >= from_s) & (submit <= to_s)
    return parts


def free_nodes(start_s: NDArray, end_s: NDArray, nodes: NDArray, machine_nodes: int) -> tuple[NDArray, NDArray]:
    """Instants (s) and the free nodes from each of them on; starts and ends closer than INSTANT_S are one instant."""
    time_s = np.concatenate([start_s, end_s])
    change = np.concatenate([-nodes, nodes])
    order = np.argsort(time_s, kind="stable")
    time_s, free = time_s[order], machine_nodes + np.cumsum(change[order])
    last = np.append(np.diff(time_s) > INSTANT_S, True)
    return time_s[last], free[last]


def explained(jobs: pl.DataFrame, unlimited: pl.DataFrame, machine_nodes: int, chosen: pl.Series) -> pl.DataFrame:
    """The chosen jobs with what they waited for.

    jobs: job_id, submit_s, start_s, end_s, nodes, of all jobs of one replay; unlimited: job_id, start_s, of the replay
    of the same jobs with unlimited memory; chosen: ids. Returns the columns of jobs and, in s, wait_s, short_s (of it:
    fewer nodes free than asked for), kept_s (of it: enough free, and the job not started), until_s (instant from which
    enough nodes stay free until its start; null where none were short), unlimited_wait_s; freed_by (the job whose end
    started it; null where none ends then), ahead (jobs that were submitted before it and waited when it came), and
    reason: MEMORY where it would have waited less than half as long with unlimited memory, else NODES or RESERVED,
    whichever lasted longer.
    """
    time_s, free = free_nodes(*(jobs[name].to_numpy() for name in ("start_s", "end_s", "nodes")), machine_nodes)
    until = np.append(time_s[1:], np.inf)
    chosen_jobs = jobs.filter(pl.col("job_id").is_in(chosen.implode()))
    submit, start, asked = (chosen_jobs[name].to_numpy()[:, None] for name in ("submit_s", "start_s", "nodes"))
    # What overlaps a wait of each job: a row per job, a column per stretch of constant free nodes.
    within = (until > submit.min(initial=np.inf)) & (time_s < start.max(initial=-np.inf))
    time_s, until, free = time_s[within], until[within], free[within]
    overlap = np.clip(np.minimum(until, start) - np.maximum(time_s, submit), 0, None)
    short = np.where((free < asked) & (overlap > INSTANT_S), overlap, 0.0)
    last = np.where(short > 0, np.minimum(until, start), -np.inf).max(axis=1, initial=-np.inf)
    wait_s = np.maximum(start - submit, 0)[:, 0]
    short_s = short.sum(axis=1)
    return (
        chosen_jobs.with_columns(
            wait_s=pl.Series(wait_s),
            short_s=pl.Series(short_s),
            kept_s=pl.Series(np.maximum(wait_s - short_s, 0)),
            until_s=pl.Series(last, nan_to_null=True).replace(-np.inf, None),
            freed_by=_freed_by(chosen_jobs, jobs),
            ahead=pl.Series(_ahead(chosen_jobs, jobs), dtype=pl.Int64),
        )
        .join(unlimited.select("job_id", unlimited_start_s="start_s"), on="job_id", how="left", maintain_order="left")
        .with_columns(unlimited_wait_s=(pl.col("unlimited_start_s") - pl.col("submit_s")).clip(0))
        .drop("unlimited_start_s")
        .with_columns(
            reason=pl.when(pl.col("wait_s") <= INSTANT_S)
            .then(pl.lit(AT_ONCE))
            .when(pl.col("unlimited_wait_s") < pl.col("wait_s") / 2)
            .then(pl.lit(MEMORY))
            .when(pl.col("short_s") >= pl.col("kept_s"))
            .then(pl.lit(NODES))
            .otherwise(pl.lit(RESERVED))
        )
    )


def _freed_by(chosen_jobs: pl.DataFrame, jobs: pl.DataFrame) -> pl.Series:
    """For each job that waited the largest one that ends as it starts, by id where several are as large."""
    ends = jobs.sort("nodes", "job_id", descending=[True, False])
    at, names = ends["end_s"].to_numpy(), ends["job_id"]
    order = np.argsort(at, kind="stable")
    start = chosen_jobs["start_s"].to_numpy()
    first = np.searchsorted(at[order], start - INSTANT_S)
    past = np.searchsorted(at[order], start + INSTANT_S, side="right")
    waited = start > chosen_jobs["submit_s"].to_numpy() + INSTANT_S
    freeing_job = [
        names[int(order[a:b].min())] if waits and b > a else None
        for a, b, waits in zip(first, past, waited, strict=True)
    ]
    return pl.Series(freeing_job, dtype=jobs.schema["job_id"])


def _ahead(chosen_jobs: pl.DataFrame, jobs: pl.DataFrame) -> NDArray:
    """Jobs submitted before each job that had not started when it came."""
    before = chosen_jobs["submit_s"].to_numpy() - INSTANT_S
    submitted = np.searchsorted(np.sort(jobs["submit_s"].to_numpy()), before)
    # Whoever started before then was submitted before then, too.
    return submitted - np.searchsorted(np.sort(jobs["start_s"].to_numpy()), before)


def sentence(job: dict, origin_s: float) -> str:
    """A row of `explained` in words; hours are counted from `origin_s`."""
    if job["reason"] == AT_ONCE:
        return f"Job {job['job_id']} started at once on {_nodes(job['nodes'])}."
    came, began = (f"{(job[name] - origin_s) / 3600:,.1f}" for name in ("submit_s", "start_s"))
    waited = f"waited {duration(job['wait_s'])}, from hour {came} to {began}"
    parts = [f"Job {job['job_id']} asked for {_nodes(job['nodes'])} and {waited}."]
    if job["ahead"]:
        others = "another job" if job["ahead"] == 1 else f"{job['ahead']:,} other jobs"
        parts.append(f"When it came, {others} waited.")
    if job["short_s"] > INSTANT_S:
        until = f"{(job['until_s'] - origin_s) / 3600:,.1f}"
        parts.append(f"For {duration(job['short_s'])} fewer were free, the last time until hour {until}.")
    if job["kept_s"] > INSTANT_S:
        parts.append(f"For {duration(job['kept_s'])} enough were free, but kept for jobs ahead of it.")
    if job["freed_by"] is not None:
        parts.append(f"It started when job {job['freed_by']} ended.")
    unlimited = job["unlimited_wait_s"]
    if unlimited is not None:
        same = abs(unlimited - job["wait_s"]) <= INSTANT_S
        parts.append(
            "With unlimited memory it would have waited as long."
            if same
            else f"With unlimited memory it would have waited {duration(unlimited)}."
        )
    if job["reason"] == MEMORY:
        parts.append("Jobs that lack memory run slower, and hold their nodes for longer.")
    return " ".join(parts)


def _nodes(count: int) -> str:
    return f"{count:,} node{'' if count == 1 else 's'}"


def queue(jobs: pl.DataFrame, from_s: float, to_s: float) -> pl.DataFrame:
    """Jobs that wait over time: time_s and waiting, from `from_s` to `to_s`, a row per instant at which it changes.

    jobs: submit_s and start_s of one replay.
    """
    submit, start = jobs["submit_s"].to_numpy(), jobs["start_s"].to_numpy()
    waits = start > submit + INSTANT_S
    time_s = np.concatenate([submit[waits], start[waits]])
    change = np.concatenate([np.ones(waits.sum(), int), -np.ones(waits.sum(), int)])
    order = np.argsort(time_s, kind="stable")
    time_s, waiting = time_s[order], np.cumsum(change[order])
    before = int(np.searchsorted(time_s, from_s, side="right"))
    inside = (time_s > from_s) & (time_s < to_s) & np.append(np.diff(time_s) > INSTANT_S, True)
    at_first = int(waiting[before - 1]) if before else 0
    counts = np.concatenate([[at_first], waiting[inside]])
    return pl.DataFrame(
        {"time_s": np.concatenate([[from_s], time_s[inside], [to_s]]), "waiting": np.append(counts, counts[-1])}
    )
