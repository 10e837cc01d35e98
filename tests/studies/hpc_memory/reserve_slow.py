"""The schedule of `reserve` once more, slowly and obviously: a list of who holds nodes from when to when.

Written from the rules of docs/models/hpc_memory.md. Jobs have one phase and no memory. Times may be whole numbers or
fractions, so that nothing rounds.

A point is an instant of the plan: (clock, time). `(now, -inf)` is now; an expected end is (end, end), or (now, end)
where it has passed, so that points are ordered as jobs are taken to end.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

NEVER = math.inf


@dataclass(frozen=True)
class Site:
    """Parameters of the queue; -1 is without limit."""

    nodes: int
    reserve_depth: int = 1
    reservations: str = "recomputed"
    backfill_interval_s: object = 0
    backfill_depth: int = -1
    backfill_resolution_s: object = 0
    backfill_window_s: object = -1
    launch_lag_s: object = 0
    release_lag_s: object = 0
    kill_at_limit: bool = False
    queue_order: object = None  # key(now, job), smallest first; None = as submitted


@dataclass
class Job:
    """What is submitted, and what becomes of it."""

    job_id: int
    submit: object
    nodes: int
    run: object
    limit: object
    priority: object = 0
    decided: object = None
    start: object = None
    end: object = None
    promise: object = None  # time of the reservation that it keeps


def replay(jobs: list[Job], site: Site) -> dict[int, tuple]:
    """(start, end) of each job that fits the machine; fills in the jobs."""
    to_come = sorted((j for j in jobs if j.nodes <= site.nodes), key=lambda j: (j.submit, j.job_id))
    every, queue, holding = list(to_come), [], []
    last_backfill, wake = -NEVER, NEVER
    while to_come or queue or holding:
        now = min([wake, *(j.submit for j in to_come[:1]), *(j.end + site.release_lag_s for j in holding)])
        freed = [j for j in holding if j.end + site.release_lag_s == now]
        holding = [j for j in holding if j not in freed]
        submitted = [j for j in to_come if j.submit == now]
        to_come = [j for j in to_come if j not in submitted]
        queue += submitted
        if site.queue_order is not None:
            queue.sort(key=lambda j: (site.queue_order(now, j), every.index(j)))
        wake = NEVER
        if now < last_backfill + site.backfill_interval_s:
            while queue and queue[0].nodes <= free_nodes(holding, site):
                begin(queue.pop(0), now, holding, site)
            if queue:
                wake = last_backfill + site.backfill_interval_s
            continue
        last_backfill = now
        if site.reservations == "kept":
            due = any(j.promise == now for j in queue)
            kept_pass(queue, holding, now, site, None if freed or due or site.queue_order else submitted)
            wake = min((j.promise for j in queue if j.promise is not None and j.promise > now), default=NEVER)
        else:
            recomputed_pass(queue, holding, now, site)
    return {j.job_id: (j.start, j.end) for j in every}


def begin(job, now, holding, site):
    """The job takes its nodes."""
    job.decided, job.start = now, now + site.launch_lag_s
    job.end = job.start + (min(job.run, job.limit) if site.kill_at_limit else job.run)
    holding.append(job)


def free_nodes(holding, site):
    return site.nodes - sum(j.nodes for j in holding)


def rounded(time, site):
    step = site.backfill_resolution_s
    return math.ceil(time / step) * step if step else time


def held_by_running(holding, now, site):
    """[(first point, point of the end, nodes)] of the jobs that hold nodes."""
    result = []
    for j in holding:
        end = rounded(j.start + j.limit, site)
        result.append(((now, -NEVER), (max(end, now), end), j.nodes))
    return result


def fits(job, point, held, now, site):
    """Whether there are nodes for the job from a point on, for as long as it may run."""
    end = rounded(max(point[0], now) + site.launch_lag_s + job.limit, site)
    points = [p for _, p, _ in held] + [p for p, _, _ in held] + [point]
    inside = [p for p in points if p >= point and p[0] < end]
    return all(sum(n for a, b, n in held if a <= p < b) + job.nodes <= site.nodes for p in inside)


def hold(job, point, held, now, site):
    end = rounded(max(point[0], now) + site.launch_lag_s + job.limit, site)
    return [*held, (point, (end, end), job.nodes)]


def earliest(job, held, now, site):
    """The first point from which the job fits."""
    points = sorted({(now, -NEVER)} | {b for _, b, _ in held} | {a for a, _, _ in held})
    return next(p for p in points if fits(job, p, held, now, site))


def recomputed_pass(queue, holding, now, site):
    """Reservations from scratch, in queue order."""
    held = held_by_running(holding, now, site)
    reservations = 0
    while queue and queue[0].nodes <= free_nodes(holding, site):
        job = queue.pop(0)
        begin(job, now, holding, site)
        held = hold(job, (now, -NEVER), held, now, site)
    for job in list(queue) if site.backfill_depth < 0 else queue[: site.backfill_depth]:
        if fits(job, (now, -NEVER), held, now, site):
            queue.remove(job)
            begin(job, now, holding, site)
            held = hold(job, (now, -NEVER), held, now, site)
        elif site.reserve_depth < 0 or reservations < site.reserve_depth:
            point = earliest(job, held, now, site)
            if site.backfill_window_s < 0 or point[0] <= now + site.backfill_window_s:
                held = hold(job, point, held, now, site)
                reservations += 1


def kept_pass(queue, holding, now, site, only):
    """Each job in queue order looks for an earlier start beside all other reservations; `only` these jobs, or all."""

    def promised(job):
        return (max(job.promise, now), job.promise)

    held = held_by_running(holding, now, site)
    for job in queue:
        held = hold(job, promised(job), held, now, site) if job.promise is not None else held
    if any(sum(n for a, b, n in held if a <= p < b) > site.nodes for p, _, _ in held):
        only = None  # a job has overrun, and the plan is broken
        for job in queue:
            job.promise = None
    for job in list(queue):
        if only is not None and job not in only:
            continue
        job.promise = None
        held = held_by_running(holding, now, site)
        others = [j for j in queue if j.promise is not None]
        for other in others:
            held = hold(other, promised(other), held, now, site)
        if fits(job, (now, -NEVER), held, now, site):
            queue.remove(job)
            begin(job, now, holding, site)
        elif site.reserve_depth < 0 or len(others) < site.reserve_depth:
            job.promise = earliest(job, held, now, site)[1]
