"""From tables to the arrays of the model: queues in arrival order, performance tables, programs of stages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from pipeline.runtime.wording import did_you_mean
from pipeline.simulation.table import codes, comparable, require_finite
from pipeline.statistics.rank_tables import best_ranks, interpolated, profile_points, require_threshold
from pipeline.studies.pim_ranks.inputs import HOST_TIMES, KERNEL_TIMES, TABLES
from pipeline.studies.pim_ranks.model import Queues, Scenarios, Tables, first_gap
from pipeline.studies.pim_ranks.rules import Segment, Stage
from pipeline.studies.pim_ranks.stages import Programs

THRESHOLD = 0.95
"""THOpt as the paper has it."""
KINDS = TABLES["stages"].columns["kind"].words


class Queue(NamedTuple):
    """Jobs of all workloads, by arrival, then job id, as the kernels take them, and what they are called."""

    workload: pl.Series
    apps: pl.Series
    job_id: pl.Series
    arrival_s: np.ndarray
    jobs: Queues


class Application(NamedTuple):
    """Stages and requested ranks of an application, as VirtualPIM runs it."""

    stages: tuple[Stage, ...]
    ranks: int


def prepare_queue(queue: pl.DataFrame) -> Queue:
    """Arrays of the checked table `queue`."""
    ids = {name: comparable(queue[name]) for name in ("workload_id", "job_id", "app")}
    frame = pl.DataFrame(
        {
            "workload": ids["workload_id"],
            "arrival_s": queue["arrival_s"].cast(pl.Float64),
            "job": ids["job_id"],
            "app": ids["app"],
            "job_id": queue["job_id"],
        }
    ).sort("workload", "arrival_s", "job", maintain_order=True)
    apps = frame["app"].unique().sort()
    workload = frame["workload"].unique().sort()
    of_workload = codes(frame["workload"], workload, "workload")
    first_job = np.searchsorted(of_workload, np.arange(max(len(workload), 1) + 1)).astype(np.int64)
    arrival = _floats(frame["arrival_s"])
    release = arrival - arrival[first_job[:-1]][of_workload] if len(frame) else arrival
    jobs = Queues(first_job, release, codes(frame["app"], apps, "app").copy())
    return Queue(workload, apps, frame["job_id"], arrival, jobs)


def table_ids(inputs: dict[str, pl.DataFrame], names: Iterable[str]) -> pl.Series | None:
    """Ids of the sets of tables that the frames hold, sorted; None where no frame has a column table_id."""
    columns_of_ids = [comparable(inputs[name]["table_id"]) for name in names if "table_id" in inputs[name].columns]
    if not columns_of_ids:
        return None
    if len({ids.dtype for ids in columns_of_ids}) > 1:
        raise ValueError("inputs: table_id is text in one table and integer in another")
    return pl.concat(columns_of_ids).drop_nulls().unique().sort()


def prepare_tables(
    perf_tables: pl.DataFrame,
    best_ranks: pl.DataFrame,
    tables: pl.Series | None,
    apps: pl.Series,
    what: str = "perf_tables",
) -> Tables:
    """Arrays of perf_tables ([table_id], app, ranks, time_s) and best_ranks ([table_id], app, best_ranks).

    what: name of the table of times, for messages.

    A frame without table_id holds for every table. Rows of other applications than `apps` are passed over. The frames
    are checked; raises ValueError naming a row that occurs twice.
    """
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
    least = np.nanmin(time_s, axis=1) if len(used) else np.empty(0)
    return Tables(row_of.reshape(count, len(apps)), time_s, best, least, complete)


def profiled(tables: Tables, ranks: int, ratio: float | None, threshold: float | None) -> Tables:
    """Tables as Algorithm 1 makes them on a machine of so many ranks: the times that it predicts, and its best_ranks.

    ratio: share of the numbers of ranks that are profiled; None: all times are known. threshold: None = 0.95 of a
    profile, and best_ranks as they are without one. Rows without all times on 1..ranks stay as they are.
    """
    if ratio is None and threshold is None:
        return tables
    require_threshold(THRESHOLD if threshold is None else threshold)
    whole = tables.complete >= ranks
    points = np.arange(1, ranks + 1) if ratio is None else np.array(profile_points(ranks, ratio))
    times = interpolated(points, tables.time_s[whole][:, points - 1], ranks)
    time_s, best, least_s = tables.time_s.copy(), tables.best.copy(), tables.least_s.copy()
    time_s[whole, :ranks], time_s[whole, ranks:] = times, np.nan
    best[whole] = best_ranks(times, THRESHOLD if threshold is None else threshold)
    least_s[whole] = times.min(axis=1)
    return tables._replace(time_s=time_s, best=best, least_s=least_s)


def profiling_s(
    tables: Tables, ranks: int, ratio: float, queue: Queue, scenarios: Scenarios, numbers: np.ndarray
) -> np.ndarray:
    """Time (s) of the profile runs of each of these scenarios, all of so many ranks: one of each application at each
    point, one after the other.
    """
    points = np.array(profile_points(ranks, ratio))
    once_s = tables.time_s[:, points - 1].sum(axis=1)
    first = queue.jobs.first_job
    return np.array(
        [
            once_s[tables.row_of[scenarios.table[s], np.unique(queue.jobs.app[first[w] : first[w + 1]])]].sum()
            for s, w in zip(numbers, scenarios.workload[numbers], strict=True)
        ]
    )


def prepare_applications(
    stages: pl.DataFrame, requests: pl.DataFrame, tables: pl.Series | None, apps: pl.Series
) -> dict[tuple[int, int], Application]:
    """What VirtualPIM runs of each (table, app): stages ([table_id], app, stage, kind, times), requests (…, ranks).

    The frames are checked; raises ValueError naming host work out of its place, or a time that is missing.
    """
    of_kernel = stages["kind"] == "kernel"
    for names, where in ((HOST_TIMES, ~of_kernel), (KERNEL_TIMES, of_kernel)):
        for name in names:
            require_finite(stages, name, "stages", {"min": 0}, where=where)
    columns = ("stage", "kind_code", *HOST_TIMES, *KERNEL_TIMES)
    kinds = {kind: code for code, kind in enumerate(KINDS)}
    coded = stages.with_columns(kind_code=stages["kind"].cast(pl.String).replace_strict(kinds, return_dtype=pl.Int64))
    row, *values = _rows(coded, columns, tables, apps, "stages", key=("stage",))
    stages_of_app: dict[int, list[Stage]] = {}
    for place in np.lexsort((values[0], row)):
        _, kind, *times = (column[place] for column in values)
        times = [float(np.nan_to_num(time)) for time in times]
        stages_of_app.setdefault(int(row[place]), []).append(Stage(KINDS[int(kind)], *times))
    row, ranks = _rows(requests, ("ranks",), tables, apps, "requests", key=())
    asked = dict(zip(row.tolist(), ranks.astype(int).tolist(), strict=True))
    result = {}
    for number, of_app in stages_of_app.items():
        table, app = divmod(number, len(apps))
        _check_order(apps[app], of_app)
        if number in asked:
            result[table, app] = Application(tuple(of_app), asked[number])
    return result


def require_complete(
    tables: Tables,
    frame: pl.DataFrame,
    what: str,
    queue: Queue,
    scenarios: Scenarios,
    numbers: np.ndarray,
    who: Callable[[int], str],
) -> None:
    """Raise ValueError naming the first application of these scenarios whose times or best_ranks are not there.

    frame: the table of times, `what` its name; who: gives the scheduler of a scenario.
    """
    s, j = first_gap(numbers, scenarios, queue.jobs, tables)
    if s < 0:
        return
    app, workload = queue.apps[int(queue.jobs.app[j])], queue.workload[int(scenarios.workload[s])]
    row = tables.row_of[scenarios.table[s], queue.jobs.app[j]]
    if row < 0:
        known = _apps_of(frame)
        raise ValueError(
            f"unknown app {app!r} in workload {workload!r}; {what} has {', '.join(known) or 'none'}"
            f"{did_you_mean(app, known)}"
        )
    if tables.complete[row] < scenarios.ranks[s]:
        raise ValueError(
            f"{what}: app {app!r} has no time_s on {tables.complete[row] + 1} ranks; a machine of "
            f"{scenarios.ranks[s]} ranks needs 1..{scenarios.ranks[s]}"
        )
    raise ValueError(f"best_ranks: no row of app {app!r}, which {who(s)} needs")


def require_programs(
    programs: Programs, program_set: np.ndarray, inputs: Mapping[str, pl.DataFrame], queue: Queue, scenarios: Scenarios,
    numbers: np.ndarray,
) -> None:  # fmt: skip
    """Raise ValueError naming an application of these scenarios that has no stages or no requested ranks."""
    for s in numbers:
        w = scenarios.workload[s]
        apps = queue.jobs.app[queue.jobs.first_job[w] : queue.jobs.first_job[w + 1]]
        lacking = apps[programs.row_of[program_set[s], apps] < 0]
        if len(lacking):
            app = queue.apps[int(lacking.min())]
            table = "stages" if str(app) not in _apps_of(inputs["stages"]) else "requests"
            known = _apps_of(inputs[table])
            raise ValueError(
                f"{table}: no row of app {app!r}, which workload {queue.workload[int(w)]!r} asks for; "
                f"known: {', '.join(known) or 'none'}{did_you_mean(app, known)}"
            )


def prepare_programs(sets: Sequence[Mapping[int, Sequence[Segment]]], apps: int) -> Programs:
    """Arrays of sets of programs, each the segments of every app that it has."""
    row_of = np.full((len(sets), apps), -1, np.int64)
    segments: list[Segment] = []
    first, ranks, rank_s = [0], [], []
    for number, of_app in enumerate(sets):
        for app, program in of_app.items():
            row_of[number, app] = len(ranks)
            segments += program
            first.append(len(segments))
            ranks.append(max(segment.ranks for segment in program))
            rank_s.append(sum(segment.ranks * segment.seconds for segment in program))
    return Programs(
        row_of, np.array(first, np.int64), np.array(ranks, np.int64), np.array(rank_s, np.float64),
        np.array([segment.kind for segment in segments], np.int64),
        np.array([segment.ranks for segment in segments], np.int64),
        np.array([segment.seconds * (1 + segment.overhead) for segment in segments], np.float64),
    )  # fmt: skip


def _rows(frame, columns, tables, apps, what, key) -> list[np.ndarray]:
    """Number of (table, app), as table * apps + app, and the columns as floats, of the rows whose app is asked for.

    Raises ValueError where `key` occurs twice in a table and app.
    """
    app = comparable(frame["app"])
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
    twice = rows.select("_table", "_place", *key).is_duplicated()
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


def _apps_of(frame: pl.DataFrame) -> list[str]:
    return frame["app"].cast(pl.String).unique().drop_nulls().sort().to_list()


def _floats(values: pl.Series) -> np.ndarray:
    return values.cast(pl.Float64).fill_null(np.nan).to_numpy(writable=True)
