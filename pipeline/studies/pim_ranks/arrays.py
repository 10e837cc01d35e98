"""From tables to the arrays of the model: queues in arrival order, performance tables, programs of stages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numba import njit

from pipeline.replay.table import codes, comparable, require_columns, require_finite, require_known, require_whole
from pipeline.studies.pim_ranks.stages import KINDS, Segment, Stage, rank_s

HOST_COLUMNS = ("time_s",)
KERNEL_COLUMNS = ("input_s", "kernel_s", "output_s", "serial_s")


@dataclass(frozen=True)
class Queue:
    """Jobs of all workloads, by arrival, then job id; `release_s` counts from the first arrival of the workload."""

    workload: pl.Series
    apps: pl.Series
    job_id: pl.Series
    first_job: np.ndarray
    arrival_s: np.ndarray
    release_s: np.ndarray
    app: np.ndarray


@dataclass(frozen=True)
class PerformanceTables:
    """Times of (table, app) rows on 1, 2, … ranks (s), with best_ranks (0 = not given) and the least time of the table.

    row_of: row of a table and an app, -1 = none; complete: ranks 1..complete are all there.
    """

    row_of: np.ndarray
    time_s: np.ndarray
    best: np.ndarray
    fastest_s: np.ndarray
    complete: np.ndarray


class Application(NamedTuple):
    """Stages and requested ranks of an application, as VirtualPIM runs it."""

    stages: tuple[Stage, ...]
    ranks: int


class Programs(NamedTuple):
    """Segments of all applications of all program sets, in the arrays that `stages.run` reads."""

    row_of: np.ndarray
    first_segment: np.ndarray
    kind: np.ndarray
    count: np.ndarray
    seconds: np.ndarray
    requested: np.ndarray
    bare_rank_s: np.ndarray


def prepare_queue(queue: pl.DataFrame) -> Queue:
    """Arrays of queue (workload_id, job_id, app, arrival_s).

    Raises ValueError naming a missing column, a job that occurs twice or an arrival that is not finite.
    """
    require_columns(queue, ("workload_id", "job_id", "app", "arrival_s"), "queue")
    require_finite(queue, "arrival_s", "queue", -np.inf)
    ids = {name: comparable(queue[name]) for name in ("workload_id", "job_id", "app")}
    for name, values in ids.items():
        if values.null_count():
            raise ValueError(f"queue: {name} is null in row {values.is_null().arg_true()[0] + 1}")
    frame = pl.DataFrame(
        {
            "workload": ids["workload_id"],
            "arrival_s": queue["arrival_s"].cast(pl.Float64),
            "job": ids["job_id"],
            "app": ids["app"],
            "job_id": queue["job_id"],
        }
    ).sort("workload", "arrival_s", "job", maintain_order=True)
    twice = frame.select("workload", "job").is_duplicated()
    if twice.any():
        workload, job = frame.filter(twice).select("workload", "job").row(0)
        raise ValueError(f"queue: job_id {job!r} occurs twice in workload {workload!r}")
    apps = frame["app"].unique().sort()
    workload = frame["workload"].unique().sort()
    of_workload = codes(frame["workload"], workload, "workload")
    first_job = np.searchsorted(of_workload, np.arange(len(workload) + 1)).astype(np.int64)
    arrival = _floats(frame["arrival_s"])
    release = arrival - arrival[first_job[:-1]][of_workload] if len(frame) else arrival
    return Queue(workload, apps, frame["job_id"], first_job, arrival, release, codes(frame["app"], apps, "app"))


def table_ids(inputs: dict[str, pl.DataFrame], names: Iterable[str]) -> pl.Series | None:
    """Ids of the sets of tables that the frames hold, sorted; None where no frame has a column table_id."""
    found = [comparable(inputs[name]["table_id"]) for name in names if "table_id" in inputs[name].columns]
    if not found:
        return None
    if len({ids.dtype for ids in found}) > 1:
        raise ValueError("inputs: table_id is text in one table and integer in another")
    return pl.concat(found).drop_nulls().unique().sort()


def prepare_tables(
    perf_tables: pl.DataFrame,
    best_ranks: pl.DataFrame,
    tables: pl.Series | None,
    apps: pl.Series,
    what: str = "perf_tables",
) -> PerformanceTables:
    """Arrays of perf_tables ([table_id], app, ranks, time_s) and best_ranks ([table_id], app, best_ranks).

    what: name of the table of times, for messages.

    A frame without table_id holds for every table. Rows of other applications than `apps` are passed over. Raises
    ValueError naming a missing column, a value out of range, or a row that occurs twice.
    """
    require_columns(perf_tables, ("app", "ranks", "time_s"), what)
    require_columns(best_ranks, ("app", "best_ranks"), "best_ranks")
    require_finite(perf_tables, "time_s", what, 0, exclusive=True)
    for frame, column, table in ((perf_tables, "ranks", what), (best_ranks, "best_ranks", "best_ranks")):
        require_finite(frame, column, table, 1)
        require_whole(frame, column, table)
    count = 1 if tables is None else len(tables)
    row, ranks, time = _rows(perf_tables, ("ranks", "time_s"), tables, apps, what, key=("ranks",))
    ranks = ranks.astype(np.int64)
    widest = int(ranks.max(initial=1))
    used, compact = np.unique(row, return_inverse=True)
    row_of = np.full(count * len(apps), -1, np.int64)
    row_of[used] = np.arange(len(used))
    time_s = np.full((len(used), widest), np.nan)
    time_s[compact, ranks - 1] = time
    known = ~np.isnan(time_s)
    complete = np.where(known.all(axis=1), widest, np.argmin(known, axis=1)).astype(np.int64)
    best = np.zeros(len(used), np.int64)
    row, given = _rows(best_ranks, ("best_ranks",), tables, apps, "best_ranks", key=())
    here = row_of[row] >= 0
    best[row_of[row[here]]] = given[here].astype(np.int64)
    fastest = np.nanmin(time_s, axis=1) if len(used) else np.empty(0)
    return PerformanceTables(row_of.reshape(count, len(apps)), time_s, best, fastest, complete)


def prepare_applications(
    stages: pl.DataFrame, requests: pl.DataFrame, tables: pl.Series | None, apps: pl.Series
) -> dict[tuple[int, int], Application]:
    """What VirtualPIM runs of each (table, app): stages ([table_id], app, stage, kind, times), requests (…, ranks).

    Raises ValueError naming a missing column, an unknown kind, host work out of its place or a value out of range.
    """
    require_columns(stages, ("app", "stage", "kind"), "stages")
    require_columns(requests, ("app", "ranks"), "requests")
    require_finite(requests, "ranks", "requests", 1)
    require_whole(requests, "ranks", "requests")
    require_known(stages["kind"], KINDS, "kind of stage")
    require_finite(stages, "stage", "stages", -np.inf)
    of_kernel = stages["kind"] == "kernel"
    for names, where in ((HOST_COLUMNS, ~of_kernel), (KERNEL_COLUMNS, of_kernel)):
        if where.any():
            require_columns(stages, names, "stages")
            for name in names:
                require_finite(stages, name, "stages", 0, where=where)
    absent = [c for c in (*HOST_COLUMNS, *KERNEL_COLUMNS) if c not in stages.columns]
    stages = stages.with_columns(pl.lit(None, pl.Float64).alias(c) for c in absent)
    columns = ("stage", "kind_code", *HOST_COLUMNS, *KERNEL_COLUMNS)
    kinds = {kind: code for code, kind in enumerate(KINDS)}
    coded = stages.with_columns(kind_code=stages["kind"].cast(pl.String).replace_strict(kinds, return_dtype=pl.Int64))
    row, *values = _rows(coded, columns, tables, apps, "stages", key=("stage",))
    found: dict[int, list[Stage]] = {}
    for place in np.lexsort((values[0], row)):
        _, kind, *times = (column[place] for column in values)
        times = [float(np.nan_to_num(time)) for time in times]
        found.setdefault(int(row[place]), []).append(Stage(KINDS[int(kind)], *times))
    row, ranks = _rows(requests, ("ranks",), tables, apps, "requests", key=())
    asked = dict(zip(row.tolist(), ranks.astype(int).tolist(), strict=True))
    result = {}
    for number, its_stages in found.items():
        table, app = divmod(number, len(apps))
        _check_order(apps[app], its_stages)
        if number in asked:
            result[table, app] = Application(tuple(its_stages), asked[number])
    return result


def prepare_programs(sets: list[dict[int, tuple[int, list[Segment], list[Segment]]]], apps: int) -> Programs:
    """Arrays of program sets; each gives of an app its requested ranks, its segments, and those without overhead."""
    row_of = np.full((len(sets), apps), -1, np.int64)
    segments: list[Segment] = []
    first, requested, bare = [0], [], []
    for number, of_app in enumerate(sets):
        for app, (ranks, program, without) in of_app.items():
            row_of[number, app] = len(requested)
            segments += program
            first.append(len(segments))
            requested.append(ranks)
            bare.append(rank_s(without))
    kind, count, seconds = (np.array([s[i] for s in segments]) for i in range(3))
    return Programs(
        row_of, np.array(first, np.int64), kind.astype(np.int64), count.astype(np.int64), seconds.astype(np.float64),
        np.array(requested, np.int64), np.array(bare, np.float64),
    )  # fmt: skip


@njit(cache=True)
def first_gap(scenario, machine_ranks, needs_best, workload, table, first_job, app, row_of, complete, best):
    """First (scenario, job) whose application lacks times for 1..R ranks or best_ranks; (-1, -1) where none does."""
    for s in scenario:
        for j in range(first_job[workload[s]], first_job[workload[s] + 1]):
            row = row_of[table[s], app[j]]
            if row < 0 or complete[row] < machine_ranks[s] or (needs_best[s] and best[row] == 0):
                return s, j
    return -1, -1


def _rows(frame, columns, tables, apps, what, key) -> list[np.ndarray]:
    """Number of (table, app), as table * apps + app, and the columns as floats, of the rows whose app is asked for.

    Raises ValueError where `key` occurs twice in a table and app.
    """
    app = comparable(frame["app"])
    if app.null_count():
        raise ValueError(f"{what}: app is null in row {app.is_null().arg_true()[0] + 1}")
    if len(app) and len(apps) and app.dtype != apps.dtype:
        raise ValueError(f"{what}: app is {app.dtype}, in queue it is {apps.dtype}")
    rows = pl.DataFrame({"app": app.cast(apps.dtype), **{c: frame[c].cast(pl.Float64) for c in columns}})
    if "table_id" in frame.columns and tables is not None:
        rows = rows.with_columns(_table=pl.Series(codes(frame["table_id"], tables, "table")))
    else:
        everywhere = pl.DataFrame({"_table": np.arange(1 if tables is None else len(tables))})
        rows = rows.join(everywhere, how="cross")
    places = pl.DataFrame({"app": apps, "_place": np.arange(len(apps))})
    rows = rows.join(places, on="app", how="inner", maintain_order="left")
    twice = rows.select("_table", "app", *key).is_duplicated()
    if twice.any():
        names = ", ".join(f"{c} {rows.filter(twice)[c][0]!r}" for c in ("app", *key))
        raise ValueError(f"{what}: {names} occurs twice{' in a table' if tables is not None else ''}")
    number = rows["_table"].to_numpy() * len(apps) + rows["_place"].to_numpy()
    return [number.astype(np.int64), *(_floats(rows[c]) for c in columns)]


def _check_order(app: str | int, stages: list[Stage]) -> None:
    """host_pre before the first kernel stage, host_mid between kernel stages, host_post after the last."""
    kinds = [stage.kind for stage in stages]
    if "kernel" not in kinds:
        raise ValueError(f"stages: app {app!r} has no kernel stage; it needs one at least")
    first, last = kinds.index("kernel"), len(kinds) - 1 - kinds[::-1].index("kernel")
    for place, kind in enumerate(kinds):
        right = "host_pre" if place < first else "host_post" if place > last else "host_mid"
        if kind not in ("kernel", right):
            raise ValueError(f"stages: {kind} of app {app!r} stands where {right} belongs (stages in order: {kinds})")
    if all(stage.input_s + stage.kernel_s + stage.output_s + stage.serial_s == 0 for stage in stages):
        raise ValueError(f"stages: the kernel stages of app {app!r} take no time; at least one must")


def _floats(values: pl.Series) -> np.ndarray:
    return values.cast(pl.Float64).fill_null(np.nan).to_numpy(writable=True)
