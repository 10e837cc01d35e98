"""Recurrent jobs: their stochastic memory profiles, and how well these foretell a run (HiPC 2024, Section IV-B).

The paper's Stochastic needs a job's profile before the job runs, known from its history where the job recurs. Here
that is the law of memory over the time of all runs of the job.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.fit.levels import Levels
from pipeline.fit.phases import first_rows, require
from pipeline.fit.profiles import stochastic, upper_edge
from pipeline.fit.whole_jobs import JOB, WholeJobs
from pipeline.runtime.scratch import Scratch

PIECE = 1 << 18
"""Phases of the recurrent jobs that are fitted at a time; those of one recurrent job stay together."""

_PHASE = np.dtype(
    [("recurrent_job", np.uint32), ("job", np.uint32), ("duration_s", np.float64), ("memory_gb", np.float64)]
)
"""A phase of a run: numbers of the recurrent job and of the job, both in the order of their names."""


def names(jobs: pl.DataFrame) -> pl.DataFrame:
    """Which recurrent job each job is a run of, whether it recurs or not: trace, job_id, recurrent_job.

    jobs: trace, job_id, user, name, nodes. Jobs of one trace are runs of one recurrent job if they share user and
    name; where the name is null, user and nodes; where the trace tells no user, the name alone. Jobs with neither user
    nor name are left out. The id reads `<user>/name=<name>` or `<user>/nodes=<nodes>`; a slash or percent sign in a
    user is written as in a URL, so that two recurrent jobs never share an id.
    """
    require(jobs, [*JOB, "user", "name", "nodes"], "jobs")
    user = pl.col("user").str.replace_all("%", "%25", literal=True).str.replace_all("/", "%2F", literal=True)
    named = pl.concat_str(user.fill_null(""), pl.lit("/name="), "name")
    sized = pl.concat_str(user, pl.lit("/nodes="), pl.col("nodes").cast(pl.String))
    return jobs.select(*JOB, pl.coalesce(named, sized).alias("recurrent_job")).drop_nulls("recurrent_job")


def fit(jobs: pl.DataFrame, phases: pl.DataFrame, bin_gb: float | None = None) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Profiles of recurrent jobs of at least two runs, and the distance of each run to the profile of the others.

    jobs: as for `names`. phases: as for `WholeJobs.append`, rows in any order. bin_gb as for `profiles.stochastic`. A
    job without phases is no run.

    Returns rows of `tables.RecurrentProfile`, sorted by trace, recurrent job and memory, and of `tables.RecurrentRun`,
    sorted by trace, recurrent job and job id. Distances leave the run out: they are to the law of the other runs
    (`kolmogorov_distance`, `wasserstein_gb`) and, to see what knowing the recurrent job is worth, to the law of all
    other jobs of the trace (`wasserstein_to_trace_gb`; of more levels than `levels.MOST`, neighbours are one there).
    Raises ValueError for a missing column or a phase without length.
    """
    with WholeJobs.of(phases) as whole:
        profiles, runs = zip(*pieces([jobs], whole, bin_gb), strict=True)
    return pl.concat(profiles), pl.concat(runs)


def pieces(
    jobs: Iterable[pl.DataFrame], whole: WholeJobs, bin_gb: float | None = None, folder: Path | None = None
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """What `fit` returns, of so many recurrent jobs at a time as have about `PIECE` phases.

    jobs: pieces of a table as for `names`. folder: where phases wait, grouped by recurrent job.
    """
    yield tables.empty(tables.RecurrentProfile), tables.empty(tables.RecurrentRun)
    recurrent_jobs, of_job = _runs(jobs, whole)
    if recurrent_jobs.is_empty():
        return
    phases_of_job = whole.jobs["phases"].to_numpy()
    phases = np.bincount(of_job[of_job >= 0], phases_of_job[of_job >= 0], recurrent_jobs.height)
    piece = (np.cumsum(phases) - phases).astype(np.int64) // PIECE
    order = whole.by_name()
    rank = np.empty(order.size, np.uint32)
    rank[order] = np.arange(order.size)
    levels = [Levels() for _ in whole.traces]
    with Scratch(_PHASE, folder) as scratch:
        for batch in whole.batches():
            for trace in np.unique(batch.trace):
                in_trace = batch.trace == trace
                levels[trace].add(batch.memory_gb[in_trace], batch.duration_s[in_trace])
            recurs = of_job[batch.job] >= 0
            number, run = of_job[batch.job[recurs]], rank[batch.job[recurs]]
            rows = np.rec.fromarrays([number, run, batch.duration_s[recurs], batch.memory_gb[recurs]], dtype=_PHASE)
            for part in np.unique(piece[number]):
                scratch.write(part, rows[piece[number] == part])
        of_trace = _laws_of_levels(levels, bin_gb)
        del levels
        for part in np.unique(piece):
            rows = scratch.read(part)
            yield _piece(rows, recurrent_jobs, whole, order, of_trace, bin_gb)


def _runs(jobs: Iterable[pl.DataFrame], whole: WholeJobs) -> tuple[pl.DataFrame, np.ndarray]:
    """Recurrent jobs of at least two runs (trace, recurrent_job, runs), sorted by both, and the number in it of the
    one that each job is a run of, -1 for none.
    """
    key = ["trace", "recurrent_job"]
    known = pl.DataFrame(schema={"trace": pl.String, "recurrent_job": pl.String, "number": pl.UInt32})
    of_job = np.full(whole.jobs.height, -1)
    for table in jobs:
        require(table, [*JOB, "user", "name", "nodes"], "jobs")
        with_phases = whole.find(table.select(*JOB, "user", "name", "nodes"))
        named = names(with_phases).join(with_phases.select(*JOB, "job"), on=JOB)
        new = named.select(key).unique().join(known, on=key, how="anti")
        known = pl.concat([known, new.with_row_index("number", known.height).select(known.columns)])
        named = named.join(known, on=key)
        of_job[named["job"].to_numpy()] = named["number"].to_numpy()
    known = known.with_columns(runs=np.bincount(of_job[of_job >= 0], minlength=known.height))
    recurring = known.filter(pl.col("runs") >= 2).sort(key)
    renumbered = np.full(known.height + 1, -1)
    renumbered[recurring["number"].to_numpy()] = np.arange(recurring.height)
    return recurring.select(*key, "runs"), renumbered[of_job]


def _piece(
    rows: np.ndarray,
    recurrent_jobs: pl.DataFrame,
    whole: WholeJobs,
    order: np.ndarray,
    of_trace: dict,
    bin_gb: float | None,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Profiles and runs of some recurrent jobs, from the phases of all their runs."""
    phases = pl.DataFrame({name: rows[name] for name in _PHASE.names})
    if bin_gb is not None:
        phases = phases.with_columns(pl.Series("memory_gb", upper_edge(phases["memory_gb"].to_numpy(), bin_gb)))
    # Sums do not depend on the order of the rows given.
    phases = phases.sort("recurrent_job", "job", "memory_gb", "duration_s")
    run, of_run = _law(phases, _rank(phases, "job"))
    job, of_job = _law(phases, _rank(phases, "recurrent_job"))
    first_of_run = np.flatnonzero(np.diff(run, prepend=-1))
    kolmogorov, wasserstein_gb = _distances(of_run, of_job, job[first_of_run])
    names_of_job = recurrent_jobs[phases["recurrent_job"].to_numpy()[np.flatnonzero(np.diff(job, prepend=-1))]]
    law = of_job["law"]
    profiles = names_of_job[law["series_id"].to_numpy()].with_columns(
        law["memory_gb"], law["probability"], pl.lit(tables.FITTED).alias("origin")
    )
    jobs = whole.jobs[order[phases["job"].to_numpy()[first_of_run]]]
    # Levels that share one in the law of the trace stand where it stands.
    _, to_trace_gb = _distances(of_run, of_trace, jobs["trace_number"].to_numpy().astype(np.int64))
    runs = names_of_job.select("trace", "recurrent_job")[job[first_of_run]].with_columns(
        jobs["job_id"],
        pl.Series("duration_s", of_run["duration_s"]),
        pl.Series("mean_memory_gb", _means(of_run)),
        pl.Series("kolmogorov_distance", np.clip(kolmogorov, 0, 1)),
        pl.Series("wasserstein_gb", wasserstein_gb),
        pl.Series("wasserstein_to_trace_gb", to_trace_gb),
        pl.lit(tables.FITTED).alias("origin"),
    )
    return tables.conform(profiles, tables.RecurrentProfile), tables.conform(runs, tables.RecurrentRun)


def _rank(frame: pl.DataFrame, column: str) -> np.ndarray:
    """Number of each run of equal values, from 0; the rows are in one piece."""
    first = first_rows(frame, [column])
    return np.repeat(np.arange(first.size - 1), np.diff(first))


def _law(rows: pl.DataFrame, series: np.ndarray) -> tuple[np.ndarray, dict]:
    """The series, numbered from 0 without gaps, and their stochastic profiles.

    These are: law (series_id, memory_gb, probability), first (first row of each series in it, and the number of rows),
    duration_s of each series.
    """
    timed = rows.select(
        pl.Series("series_id", series),
        pl.int_range(pl.len()).alias("phase"),
        pl.lit(0.0).alias("start_s"),
        pl.col("duration_s").alias("end_s"),
        "memory_gb",
    )
    law = stochastic(timed)
    duration_s = np.bincount(series, weights=rows["duration_s"].to_numpy())
    return series, {"law": law, "first": first_rows(law, ["series_id"]), "duration_s": duration_s}


def _laws_of_levels(gathered: list[Levels], bin_gb: float | None) -> dict:
    """What `_law` gives, of series whose values were gathered before."""
    laws, count, duration_s = [], [0], []
    for series, levels in enumerate(gathered):
        at = levels.at if bin_gb is None else upper_edge(levels.at, bin_gb)
        level = np.flatnonzero(np.diff(at, prepend=-1.0))
        at_level_s = np.add.reduceat(levels.weight[0], level)
        duration_s.append(at_level_s.sum())
        laws.append(
            pl.DataFrame({"memory_gb": at[level], "probability": at_level_s / duration_s[-1]}).with_columns(
                pl.lit(series, pl.Int64).alias("series_id")
            )
        )
        count.append(level.size)
    return {"law": pl.concat(laws), "first": np.cumsum(count), "duration_s": np.array(duration_s)}


def _means(of_run: dict) -> np.ndarray:
    law = of_run["law"]
    return np.bincount(law["series_id"].to_numpy(), weights=(law["memory_gb"] * law["probability"]).to_numpy())


def _distances(of_run: dict, of_group: dict, group: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Kolmogorov and Wasserstein-1 (GB) distance of each run's law to that of the rest of its group.

    group: the group of each run. With F the law of the group over its time T, F_r that of a run over T_r, and H that of
    the rest: F_r - H = (F_r - F) T / (T - T_r), so both distances are those to the whole group times that factor.
    """
    level, at = of_group["law"]["memory_gb"].to_numpy(), of_run["law"]["memory_gb"].to_numpy()
    if not at.size:
        return np.empty(0), np.empty(0)
    owner = of_group["law"]["series_id"].to_numpy()
    reached, run_reached = _cumulative(of_group), _cumulative(of_run)
    below = np.append(0.0, reached[:-1])
    below[of_group["first"][:-1]] = 0.0
    # Integral of F from the group's least level on; what one group leaves behind cancels in differences.
    area = np.append(0.0, np.cumsum(np.where(np.diff(owner) == 0, reached[:-1] * np.diff(level), 0.0)))

    run = of_run["law"]["series_id"].to_numpy()
    first, last = of_run["first"][:-1], of_run["first"][1:] - 1
    values, rank = np.unique(np.concatenate([level, at]), return_inverse=True)
    here = np.searchsorted(owner * values.size + rank[: level.size], group[run] * values.size + rank[level.size :])
    before = np.append(0.0, run_reached[:-1])
    before[first] = 0.0
    apart = np.maximum(np.abs(run_reached - reached[here]), np.abs(before - below[here]))
    kolmogorov = np.maximum.reduceat(apart, first)

    # Between two levels of the run F_r is constant; F, which rises, crosses it once.
    there = np.append(here[1:], 0)
    there[last] = of_group["first"][1:][group] - 1
    crossing = np.clip(np.searchsorted(owner + reached, group[run] + run_reached), here, there)
    above = run_reached * (level[crossing] - level[here]) - (area[crossing] - area[here])
    beneath = (area[there] - area[crossing]) - run_reached * (level[there] - level[crossing])
    start = of_group["first"][:-1][group]
    wasserstein_gb = np.add.reduceat(above + beneath, first) + area[here[first]] - area[start]

    total_s = of_group["duration_s"][group]
    factor = total_s / (total_s - of_run["duration_s"])
    return kolmogorov * factor, np.maximum(wasserstein_gb, 0) * factor


def _cumulative(of: dict) -> np.ndarray:
    """Distribution function at each row of the laws; exactly 1 at the last of each."""
    law, first = of["law"], of["first"]
    running = law.select(pl.col("probability").cum_sum().over("series_id")).to_series().to_numpy(writable=True)
    running[first[1:] - 1] = 1.0
    return np.minimum(running, 1.0)
