"""Run a batch of scenarios."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.replay.table import codes, comparable, require_finite, require_known, with_defaults
from pipeline.studies.pim_ranks import arrays, model, search, stages
from pipeline.studies.pim_ranks.schedulers import SCHEDULERS
from pipeline.wording import did_you_mean

DEFAULTS = {
    "table_id": None,
    "window": 6,
    "ooo_window": None,
    "perf_at": "leftover",
    "overhead": None,
    "coop_limit": 1.1,
    "objective": "makespan",
}
"""Columns of the scenario table that may be left out, with what they are then."""

PERF_AT = ("leftover", "available")
METRICS = (*model.MEASURES, "makespan_lower_bound_s", "rejected_jobs")
TABLES_OF = {"stages": ("stages", "requests")}
"""Tables that a way to dispatch needs beside the queue, where they are not the performance tables."""
PERFORMANCE = ("perf_tables", "best_ranks")
PREDICTED = "predicted_perf_tables"
"""Table of the times by which schedulers decide, where it is given; jobs run by perf_tables."""
TOO_LARGE, NO_PROOF = "larger_than_machine", "no_optimum_proven"
"""Why jobs are not run: they ask for more ranks than there are, or the search for the best schedule proves none."""


@dataclass
class _Batch:
    """Scenarios as columns of numbers, and room for their results."""

    scheduler: np.ndarray
    ranks: np.ndarray
    workload: np.ndarray
    table: np.ndarray
    overhead: np.ndarray
    first_out: np.ndarray
    start: np.ndarray
    freed: np.ndarray
    end: np.ndarray
    granted: np.ndarray
    measures: np.ndarray
    bound: np.ndarray


def replay(inputs: dict[str, pl.DataFrame], scenarios: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Replay scenarios on the queues of their workloads.

    inputs: `queue` (workload_id, job_id, app, arrival_s), `perf_tables` ([table_id], app, ranks, time_s for 1..R),
    `best_ranks` ([table_id], app, best_ranks); optionally `predicted_perf_tables` (as perf_tables): the times by which
    schedulers decide, while jobs take those of perf_tables (absent = the same); for VirtualPIM `stages` ([table_id],
    app, stage, kind host_pre | kernel | host_mid | host_post, time_s of host work, input_s, kernel_s, output_s of a
    kernel on one rank, serial_s a rank) and `requests` ([table_id], app, ranks). A table without table_id holds for
    all.
    scenarios: scenario_id, scheduler, workload_id, ranks, and the columns of DEFAULTS (docs/models/pim_ranks.md).

    Returns `outcomes` (scenario_id, job_id, ranks, start_s, end_s, freed_s, rejected) and `metrics` (scenario_id,
    metric, value). Rows are sorted by scenario, then by arrival. freed_s is when the last rank is given back. A job
    whose requested ranks exceed the machine's is rejected where they are held together: its times are null and no
    measure counts it but `rejected_jobs`. So are all jobs of a search that proves no best schedule
    (`no_optimum_proven`), whose lower bound is given all the same.

    Raises ValueError naming an unknown scheduler, workload, table, application or option, a missing table or column, or
    a value out of range.
    """
    if "queue" not in inputs:
        raise ValueError(f"inputs: missing table queue; found {', '.join(inputs)}{did_you_mean('queue', inputs)}")
    queue = arrays.prepare_queue(inputs["queue"])
    scenarios = _checked(scenarios)
    dispatch = {name: SCHEDULERS[name].DISPATCH for name in scenarios["scheduler"].unique()}
    needed = {table for how in dispatch.values() for table in TABLES_OF.get(how, PERFORMANCE)}
    _require_tables(inputs, needed, dispatch)
    if not len(queue.app):
        return _tables(scenarios["scenario_id"], queue, _empty_batch(len(scenarios)))

    ids = arrays.table_ids(inputs, sorted(needed | ({PREDICTED} & inputs.keys())))
    table = _table_of(scenarios, ids)
    workload = codes(scenarios["workload_id"], queue.workload, "workload")
    batch = _room(scenarios, queue, workload, table)
    names = scenarios["scheduler"].to_numpy()
    grouped = np.array([dispatch[name] for name in names])
    by_stages, by_search = (np.flatnonzero(grouped == how) for how in ("stages", "search"))
    rigid = np.flatnonzero((grouped != "stages") & (grouped != "search"))
    if len(rigid) + len(by_search):
        _replay_rigid(inputs, scenarios, queue, batch, ids, rigid, by_search)
    if len(by_stages):
        _replay_stages(inputs, scenarios, queue, batch, ids, by_stages)
    return _tables(scenarios["scenario_id"], queue, batch)


def _checked(scenarios: pl.DataFrame) -> pl.DataFrame:
    """Scenarios with defaults, in the order of their ids; every option known."""
    if "window" in scenarios.columns:  # before its default makes it an integer
        arrays.require_whole(scenarios, "window", "scenarios")
    scenarios = with_defaults(scenarios, DEFAULTS, required=("scheduler", "workload_id", "ranks"))
    require_known(scenarios["scheduler"], SCHEDULERS, "scheduler")
    require_known(scenarios["perf_at"], PERF_AT, "perf_at")
    require_known(scenarios["objective"], search.OBJECTIVES, "objective")
    for column in ("ranks", "window", "ooo_window"):
        require_finite(scenarios, column, "scenarios", 1, where=scenarios[column].is_not_null())
    for column in ("ranks", "ooo_window"):
        arrays.require_whole(scenarios, column, "scenarios")
    require_finite(scenarios, "overhead", "scenarios", 0, where=scenarios["overhead"].is_not_null())
    require_finite(scenarios, "coop_limit", "scenarios", 0)
    own = {name: float(scheduler.OVERHEAD) for name, scheduler in SCHEDULERS.items()}
    return scenarios.with_columns(
        pl.coalesce(
            pl.col("overhead").cast(pl.Float64),
            pl.col("scheduler").cast(pl.String).replace_strict(own, return_dtype=pl.Float64),
        ).alias("overhead"),
        comparable(scenarios["scenario_id"]).alias("_id"),
    ).sort("_id")


def _require_tables(inputs: dict[str, pl.DataFrame], needed: set[str], dispatch: dict[str, str]) -> None:
    for table in sorted(needed):
        if table not in inputs:
            who = sorted(name for name, how in dispatch.items() if table in TABLES_OF.get(how, PERFORMANCE))
            raise ValueError(
                f"inputs: missing table {table}, which {', '.join(who)} needs; found {', '.join(inputs)}"
                f"{did_you_mean(table, inputs)}"
            )


def _table_of(scenarios: pl.DataFrame, ids: pl.Series | None) -> np.ndarray:
    """Number of each scenario's set of tables."""
    given = scenarios["table_id"]
    if ids is None:
        if given.null_count() < len(given):
            raise ValueError(f"unknown table {given.drop_nulls()[0]!r}; the tables have no column table_id")
        return np.zeros(len(scenarios), np.int64)
    if given.null_count():
        if len(ids) != 1:
            row = scenarios.filter(given.is_null())["scenario_id"][0]
            some = ", ".join(str(i) for i in ids.head(5))
            raise ValueError(f"scenarios: table_id is null in scenario {row!r}; it must be one of {some}")
        given = given.cast(ids.dtype).fill_null(ids[0])
    return codes(given, ids, "table")


def _room(scenarios: pl.DataFrame, queue: arrays.Queue, workload: np.ndarray, table: np.ndarray) -> _Batch:
    jobs = np.diff(queue.first_job)[workload]
    first_out = np.concatenate([[0], np.cumsum(jobs)]).astype(np.int64)
    rows = int(first_out[-1])
    return _Batch(
        scenarios["scheduler"].to_numpy(),
        scenarios["ranks"].cast(pl.Int64).to_numpy(),
        workload,
        table,
        scenarios["overhead"].to_numpy(),
        first_out,
        np.full(rows, np.nan),
        np.full(rows, np.nan),
        np.full(rows, np.nan),
        np.zeros(rows, np.int64),
        np.full((len(scenarios), len(model.MEASURES)), np.nan),
        np.full(len(scenarios), np.nan),
    )


def _empty_batch(scenarios: int) -> _Batch:
    """Room for scenarios on no jobs at all."""
    none, whole = np.empty(0), np.empty(0, np.int64)
    return _Batch(whole, whole, whole, whole, none, np.zeros(scenarios + 1, np.int64), none, none, none, whole,
                  np.full((scenarios, len(model.MEASURES)), np.nan), np.full(scenarios, np.nan))  # fmt: skip


def _replay_rigid(inputs, scenarios, queue, batch, ids, rigid, searched) -> None:
    """Schedulers that hold ranks from start to end, and the search for the best of their schedules."""
    tables = arrays.prepare_tables(inputs["perf_tables"], inputs["best_ranks"], ids, queue.apps)
    both = np.sort(np.concatenate([rigid, searched]))
    grants = np.array([model.GRANT.get(SCHEDULERS[name].GRANT, -1) for name in batch.scheduler], np.int64)
    needs_best = grants > model.MACHINE
    _require_complete(inputs["perf_tables"], queue, tables, batch, needs_best, both)
    seen = tables
    if PREDICTED in inputs:
        seen = arrays.prepare_tables(inputs[PREDICTED], inputs["best_ranks"], ids, queue.apps, PREDICTED)
        _require_complete(inputs[PREDICTED], queue, seen, batch, np.zeros_like(needs_best), rigid, PREDICTED)
    how = np.array([model.DISPATCH.get(SCHEDULERS[name].DISPATCH, -1) for name in batch.scheduler], np.int64)
    everything = np.iinfo(np.int64).max
    ooo_window = scenarios["ooo_window"].cast(pl.Int64).fill_null(everything).to_numpy()
    window = np.where(how == model.FIRST_FIT, ooo_window, scenarios["window"].cast(pl.Int64).to_numpy())
    at_available = (scenarios["perf_at"] == "available").to_numpy()
    model.run(
        rigid, how, grants, batch.ranks, window, at_available, batch.overhead, batch.first_out, batch.workload,
        batch.table, queue.first_job, queue.release_s, queue.app, tables.row_of, tables.time_s, tables.best,
        seen.row_of, seen.time_s, seen.fastest_s, batch.start, batch.end, batch.granted, batch.measures,
    )  # fmt: skip
    for s in searched:
        _search(scenarios["objective"][int(s)], queue, tables, batch, int(s))
    rows = _rows_of(batch, both)
    batch.freed[rows] = batch.end[rows]
    model.makespan_lower_bounds(
        both, batch.ranks, batch.workload, batch.table, queue.first_job, queue.release_s, queue.app, tables.row_of,
        tables.time_s, batch.bound,
    )  # fmt: skip


def _search(objective: str, queue: arrays.Queue, tables: arrays.PerformanceTables, batch: _Batch, s: int) -> None:
    """The best schedule of one scenario; where none is proven its times and measures stay null."""
    first, last = queue.first_job[batch.workload[s]], queue.first_job[batch.workload[s] + 1]
    row = tables.row_of[batch.table[s], queue.app[first:last]]
    time_s = tables.time_s[row, : batch.ranks[s]] * (1 + batch.overhead[s])
    release = queue.release_s[first:last]
    best = search.best_schedule(release, time_s, objective)
    if best is None:
        return
    out = slice(batch.first_out[s], batch.first_out[s + 1])
    held_s = time_s[np.arange(last - first), best.ranks - 1]
    batch.start[out], batch.end[out], batch.granted[out] = best.start_s, best.start_s + held_s, best.ranks
    held_rank_s = float(best.ranks @ held_s)
    model.measure(release, batch.end[out], held_rank_s, batch.overhead[s], batch.ranks[s], batch.measures[s])


def _replay_stages(inputs, scenarios, queue, batch, ids, mine) -> None:
    """VirtualPIM: the segments of every application under every scheduler, overhead and limit that occur."""
    applications = arrays.prepare_applications(inputs["stages"], inputs["requests"], ids, queue.apps)
    for s in mine:
        lacking = {
            int(a) for a in np.unique(_apps(queue, batch, s)) if (int(batch.table[s]), int(a)) not in applications
        }
        if lacking:
            app, workload = queue.apps[min(lacking)], queue.workload[int(batch.workload[s])]
            table = "stages" if not _has(inputs["stages"], app) else "requests"
            known = _apps_of(inputs[table])
            raise ValueError(
                f"{table}: no row of app {app!r}, which workload {workload!r} asks for; "
                f"known: {', '.join(known) or 'none'}{did_you_mean(app, known)}"
            )
    numbers: dict[tuple, int] = {}
    sets = []
    program_set = np.full(len(scenarios), -1, np.int64)
    limit = scenarios["coop_limit"].to_numpy()
    for s in mine:
        key = (batch.table[s], SCHEDULERS[batch.scheduler[s]].GRANT, batch.overhead[s], limit[s])
        if key not in numbers:
            numbers[key] = len(sets)
            sets.append(_programs(applications, *key))
        program_set[s] = numbers[key]
    programs = arrays.prepare_programs(sets, len(queue.apps))
    stages.run(
        mine, batch.ranks, batch.first_out, batch.workload, program_set, queue.first_job, queue.release_s, queue.app,
        programs.row_of, programs.first_segment, programs.kind, programs.count, programs.seconds, programs.requested,
        programs.bare_rank_s, batch.start, batch.freed, batch.end, batch.granted, batch.measures,
    )  # fmt: skip


def _programs(applications, table: int, grant: str, overhead: float, limit: float) -> dict:
    """Requested ranks and segments, with and without overhead, of each application of a table."""
    found = {}
    for (of_table, app), (its_stages, ranks) in applications.items():
        if of_table != table:
            continue
        if grant == "cheaper":
            program = stages.cheaper(its_stages, ranks, overhead, limit)
            fine = any(kind == stages.UNITS for kind, _, _ in program)
            without = (stages.fine if fine else stages.coarse)(its_stages, ranks, 0.0)
        else:
            build = stages.fine if grant == "units" else stages.coarse
            program, without = build(its_stages, ranks, overhead), build(its_stages, ranks, 0.0)
        found[app] = (ranks, program, without)
    return found


def _apps(queue: arrays.Queue, batch: _Batch, s: int) -> np.ndarray:
    return queue.app[queue.first_job[batch.workload[s]] : queue.first_job[batch.workload[s] + 1]]


def _require_complete(perf_tables, queue, tables, batch, needs_best, mine, what="perf_tables") -> None:
    """Raise ValueError naming the first application whose times or best_ranks are not there."""
    s, j = arrays.first_gap(
        mine, batch.ranks, needs_best, batch.workload, batch.table, queue.first_job, queue.app, tables.row_of,
        tables.complete, tables.best,
    )  # fmt: skip
    if s < 0:
        return
    app, workload = queue.apps[int(queue.app[j])], queue.workload[int(batch.workload[s])]
    row = tables.row_of[batch.table[s], queue.app[j]]
    if row < 0:
        known = _apps_of(perf_tables)
        raise ValueError(
            f"unknown app {app!r} in workload {workload!r}; {what} has {', '.join(known) or 'none'}"
            f"{did_you_mean(app, known)}"
        )
    if tables.complete[row] < batch.ranks[s]:
        raise ValueError(
            f"{what}: app {app!r} has no time_s on {tables.complete[row] + 1} ranks; a machine of "
            f"{batch.ranks[s]} ranks needs 1..{batch.ranks[s]}"
        )
    raise ValueError(f"best_ranks: no row of app {app!r}, which {batch.scheduler[s]} needs")


def _apps_of(frame: pl.DataFrame) -> list[str]:
    return frame["app"].cast(pl.String).unique().drop_nulls().sort().to_list()


def _has(frame: pl.DataFrame, app: str | int) -> bool:
    return str(app) in _apps_of(frame)


def _rows_of(batch: _Batch, mine: np.ndarray) -> np.ndarray:
    """Whether a row of the outcomes belongs to one of the scenarios."""
    chosen = np.zeros(len(batch.workload), bool)
    chosen[mine] = True
    return np.repeat(chosen, np.diff(batch.first_out))


def _tables(scenario_id: pl.Series, queue: arrays.Queue, batch: _Batch) -> dict[str, pl.DataFrame]:
    """Result tables of all scenarios."""
    jobs = np.diff(batch.first_out)
    scenario = np.repeat(np.arange(len(jobs)), jobs)
    if len(scenario):
        job = np.arange(len(scenario)) - batch.first_out[scenario] + queue.first_job[batch.workload[scenario]]
    else:
        job = np.empty(0, np.int64)
    origin = queue.arrival_s[job] - queue.release_s[job]
    # A job that starts as it arrives does so at the very number that was given; an instant may be a hair later.
    at_once = batch.start <= queue.release_s[job] * (1 + model.INSTANT)
    start = np.where(at_once, queue.arrival_s[job], batch.start + origin)
    ran = ~np.isnan(batch.end)
    reason = [NO_PROOF if SCHEDULERS[name].DISPATCH == "search" else TOO_LARGE for name in batch.scheduler]
    outcomes = pl.DataFrame(
        {
            "scenario_id": scenario_id.gather(scenario),
            "job_id": queue.job_id.gather(job),
            "ranks": pl.Series(batch.granted, dtype=pl.Int64),
            "start_s": pl.Series(start).fill_nan(None),
            "end_s": pl.Series(batch.end + origin).fill_nan(None),
            "freed_s": pl.Series(batch.freed + origin).fill_nan(None),
        }
    ).with_columns(
        pl.when(pl.Series(ran)).then(pl.col("ranks")).alias("ranks"),
        rejected=pl.when(pl.Series(~ran)).then(pl.Series(reason, dtype=pl.String).gather(scenario)),
    )
    rejected = np.bincount(scenario[~ran], minlength=len(jobs)).astype(np.float64)
    values = np.column_stack([batch.measures, batch.bound, rejected])
    metrics = pl.DataFrame(
        {
            "scenario_id": scenario_id.gather(np.repeat(np.arange(len(jobs)), len(METRICS))),
            "metric": pl.Series(list(METRICS), dtype=pl.String).gather(np.tile(np.arange(len(METRICS)), len(jobs))),
            "value": pl.Series(values.reshape(-1), dtype=pl.Float64).fill_nan(None),
        }
    )
    return {"outcomes": outcomes, "metrics": metrics}
