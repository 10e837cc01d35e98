"""What happens around a pass of `reserve` at a site: jobs that start and nodes that come free take their time.

`pipeline.simulation.reserve` has the pass itself, docs/models/hpc_memory.md the rules.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
from numba import njit

from pipeline.simulation import easy, reserve
from pipeline.simulation.easy import INSTANT_S, leaf
from pipeline.simulation.table import require_known
from pipeline.studies.hpc_memory import STUDY
from pipeline.studies.hpc_memory.orders import ORDERS
from pipeline.studies.hpc_memory.rules import Weights

KEPT = "kept"
COUNTS = ("reserve_depth", "backfill_depth")
TIMES = ("backfill_interval_s", "backfill_resolution_s", "backfill_window_s", "launch_lag_s", "release_lag_s")
WEIGHTS = ("age_weight", "age_max_s", "size_weight")
PARAMETERS = (*COUNTS, *TIMES, *WEIGHTS, "reservations", "kill_at_limit", "queue_order")
"""Columns of a scenario that say how a site runs its queue; all of them belong to `backfilling` = reserve."""
OF_SLURM = ("backfill_interval_s", "backfill_depth", "backfill_resolution_s", "backfill_window_s")
"""Those that are read where reservations are made anew at every pass."""


def check(scenarios: pl.DataFrame) -> None:
    """Raise ValueError for parameters of a queue that nothing reads in their scenario, or an unknown order."""
    require_known(scenarios["queue_order"], ORDERS, "queue_order")
    others = scenarios.filter(pl.col("backfilling") != "reserve")
    _require_defaults(others, PARAMETERS, "is a parameter of backfilling reserve, which has easy as reserve_depth 1")
    plain = scenarios.filter(pl.col("queue_order") != "multifactor")
    _require_defaults(plain, WEIGHTS, "is read where queue_order is multifactor")
    keeping = scenarios.filter(pl.col("reservations") == KEPT)
    _require_defaults(keeping, OF_SLURM, "is read where reservations are recomputed; here they are kept")


def _require_defaults(scenarios: pl.DataFrame, names: tuple[str, ...], why: str) -> None:
    for name in names:
        given = scenarios.filter(pl.col(name) != STUDY.defaults[name])
        if len(given):
            row = given.row(0, named=True)
            raise ValueError(f"scenario {row['scenario_id']!r}: {name} is {row[name]}; it {why}")


def dialect(row: dict) -> reserve.Dialect:
    """How the site of a scenario runs its queue."""
    return reserve.Dialect(
        int(row["reserve_depth"]),
        row["reservations"] == KEPT,
        row["backfill_interval_s"],
        int(row["backfill_depth"]),
        row["backfill_resolution_s"],
        row["backfill_window_s"],
        row["launch_lag_s"],
        row["release_lag_s"],
        row["kill_at_limit"],
        row["queue_order"] != "submit",
        row["age_weight"],
        row["age_max_s"],
        row["size_weight"],
    )


class Site(NamedTuple):
    """The plan, and the jobs that hold nodes without running: before their start and after their end."""

    plan: reserve.Plan
    launching: np.ndarray  # at count[0]:count[1], first one first; `start_s` has when they start
    leaving: np.ndarray  # at count[2]:count[3]
    count: np.ndarray  # count[4]: events (submissions, starts, ends, nodes that come free) less passes
    key: np.ndarray  # of each waiting job, where the queue has an order of its own


@njit(cache=True)
def site(jobs: int, running: int) -> Site:
    """Nobody waits."""
    return Site(
        reserve.empty_plan(jobs, running), np.empty(jobs, np.int64), np.empty(jobs, np.int64), np.zeros(5, np.int64),
        np.empty(jobs),
    )  # fmt: skip


@leaf
def next_s(site, dialect, start_s, end_s):
    """When something is due: a start, nodes that come free, or a pass."""
    launched, decided, freed, ended, passes_left = site.count
    # A promise that a job breaks makes the next one, which may be a microsecond later: no more passes than events.
    next_s = site.plan.clock[reserve.WAKE_S] if passes_left > 0 else np.inf
    if launched < decided:
        next_s = min(next_s, start_s[site.launching[launched]])
    if freed < ended:
        next_s = min(next_s, end_s[site.leaving[freed]] + dialect.release_lag_s)
    return next_s


@njit(cache=True)
def instant(
    now_s, nodes, machine_nodes, site, dialect, key, workload, walltime_s, ended, ends, first_released, released,
    start_s, end_s, started,
):  # fmt: skip
    """Nodes come free, jobs join the queue, a pass; writes to `started` who starts now and returns how many.

    A job's nodes are its own from the decision on, its start follows after the launch lag, and its expected end is that
    start plus its limit.
    """
    count, edge = site.count, now_s + INSTANT_S
    for i in range(ends):
        site.leaving[count[3]] = ended[i]
        count[3] += 1
    first_freed = count[2]
    while count[2] < count[3] and end_s[site.leaving[count[2]]] + dialect.release_lag_s < edge:
        easy.release(nodes, site.leaving[count[2]])
        count[2] += 1
    for job in range(first_released, released):
        easy.submit(nodes, job, workload.nodes[job], dialect.launch_lag_s + walltime_s[job])
    unchanged = count[2] == first_freed
    starts = 0
    count[4] += ends + count[2] - first_freed + released - first_released
    if not unchanged or released > first_released or site.plan.clock[reserve.WAKE_S] < edge:
        if dialect.ordered:
            _sort(now_s, nodes, machine_nodes, site.key, dialect, key, workload, walltime_s)
        starts = reserve.schedule(nodes, site.plan, dialect, now_s, unchanged and not dialect.ordered, started)
        count[4] += starts - 1
        if nodes.count[easy.RUNNING] == 0:
            # No event is to come.
            count[4] = max(count[4], 1)
    if dialect.launch_lag_s <= 0.0:
        return starts
    for i in range(starts):
        start_s[started[i]] = now_s + dialect.launch_lag_s
        site.launching[count[1]] = started[i]
        count[1] += 1
    starts = 0
    while count[0] < count[1] and start_s[site.launching[count[0]]] < edge:
        started[starts] = site.launching[count[0]]
        starts += 1
        count[0] += 1
    return starts


@leaf
def _sort(now_s, nodes, machine_nodes, keys, dialect, key, workload, walltime_s):
    """Put the queue in order; one that nearly is takes one pass."""
    waiting_job, waiting_nodes, waiting_walltime_s = nodes.waiting_job, nodes.waiting_nodes, nodes.waiting_walltime_s
    weights = Weights(dialect.age_weight, dialect.age_max_s, dialect.size_weight, machine_nodes)
    head = nodes.count[easy.HEAD]
    for i in range(head, nodes.count[easy.TAIL]):
        job, size, walltime = waiting_job[i], waiting_nodes[i], waiting_walltime_s[i]
        own_key = key(now_s, workload.release_s[job], size, walltime_s[job], workload.priority[job], weights)
        if np.isnan(own_key):
            own_key = np.inf
        k = i - 1
        while k >= head and (keys[k] > own_key or (keys[k] == own_key and waiting_job[k] > job)):
            keys[k + 1], waiting_job[k + 1] = keys[k], waiting_job[k]
            waiting_nodes[k + 1], waiting_walltime_s[k + 1] = waiting_nodes[k], waiting_walltime_s[k]
            k -= 1
        keys[k + 1], waiting_job[k + 1], waiting_nodes[k + 1], waiting_walltime_s[k + 1] = own_key, job, size, walltime
