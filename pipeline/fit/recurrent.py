"""Recurrent jobs: their stochastic memory profiles, and how well these foretell a run (HiPC 2024, Section IV-B).

The paper's Stochastic needs a job's profile before the job runs, known from its history where the job recurs. Here
that is the law of memory over the time of all runs of the job.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.fit.phases import first_rows, require
from pipeline.fit.profiles import stochastic, upper_edge

JOB = ["trace_id", "job_id"]


def names(jobs: pl.DataFrame) -> pl.DataFrame:
    """Which recurrent job each job is a run of, whether it recurs or not: trace_id, job_id, recurrent_job.

    jobs: trace_id, job_id, user, name, nodes. Jobs of one trace are runs of one recurrent job if they share user and
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

    jobs: as for `names`. phases: trace_id, job_id, duration_s (s), memory_gb (GB per node), and node where it holds
    rows of nodes: only those of whole jobs (node null) count. bin_gb as for `profiles.stochastic`. A job without phases
    is no run.

    Returns rows of `tables.RecurrentProfile`, sorted by trace, recurrent job and memory, and of `tables.RecurrentRun`,
    sorted by trace, recurrent job and job id. Distances leave the run out: they are to the law of the other runs
    (`kolmogorov_distance`, `wasserstein_gb`) and, to see what knowing the recurrent job is worth, to the law of all
    other jobs of the trace (`wasserstein_to_trace_gb`). Raises ValueError for a missing column or a phase without
    length.
    """
    require(phases, [*JOB, "duration_s", "memory_gb"], "phases")
    whole = phases.filter(pl.col("node").is_null()) if "node" in phases.columns else phases
    whole = whole.select(*JOB, pl.col("duration_s", "memory_gb").cast(pl.Float64)).join(
        names(jobs), on=JOB, how="left", maintain_order="left"
    )
    if bin_gb is not None:
        whole = whole.with_columns(pl.Series("memory_gb", upper_edge(whole["memory_gb"].to_numpy(), bin_gb)))
    # Sums do not depend on the order of the rows given.
    whole = whole.sort("trace_id", "recurrent_job", "job_id", "memory_gb", "duration_s")
    trace, job, run = (_rank(whole, by) for by in (["trace_id"], ["trace_id", "recurrent_job"], [*JOB]))
    runs_of_job = np.zeros(int(job.max(initial=-1)) + 1, np.int64)
    first_of_run = np.flatnonzero(np.diff(run, prepend=-1))
    np.add.at(runs_of_job, job[first_of_run], 1)
    recurs = whole["recurrent_job"].is_not_null().to_numpy() & (runs_of_job[job] >= 2)

    kept = whole.filter(recurs)
    run, of_run = _law(kept, run[recurs])
    job, of_job = _law(kept, job[recurs])
    _, of_trace = _law(whole, trace)
    first_of_run = np.flatnonzero(np.diff(run, prepend=-1))
    kolmogorov, wasserstein_gb = _distances(of_run, of_job, job[first_of_run])
    _, to_trace_gb = _distances(of_run, of_trace, trace[recurs][first_of_run])
    first_of_job = np.flatnonzero(np.diff(job, prepend=-1))
    size = np.bincount(job[first_of_run], minlength=first_of_job.size)
    law = of_job["law"]
    profiles = kept.select("trace_id", "recurrent_job")[first_of_job[law["series_id"].to_numpy()]].with_columns(
        pl.Series("runs", size[law["series_id"].to_numpy()]),
        law["memory_gb"],
        law["probability"],
        pl.lit(tables.FITTED).alias("origin"),
    )
    runs = kept.select("trace_id", "recurrent_job", "job_id")[first_of_run].with_columns(
        pl.Series("duration_s", of_run["duration_s"]),
        pl.Series("mean_memory_gb", _means(of_run)),
        pl.Series("kolmogorov_distance", np.clip(kolmogorov, 0, 1)),
        pl.Series("wasserstein_gb", wasserstein_gb),
        pl.Series("wasserstein_to_trace_gb", to_trace_gb),
        pl.lit(tables.FITTED).alias("origin"),
    )
    return tables.conform(profiles, tables.RecurrentProfile), tables.conform(runs, tables.RecurrentRun)


def _rank(frame: pl.DataFrame, by: list[str]) -> np.ndarray:
    """Number of each run of equal `by`, from 0; the rows are in one piece."""
    first = first_rows(frame, by)
    return np.repeat(np.arange(first.size - 1), np.diff(first))


def _law(rows: pl.DataFrame, series: np.ndarray) -> tuple[np.ndarray, dict]:
    """The series numbered from 0 without gaps, and their stochastic profiles.

    These are: law (series_id, memory_gb, probability), first (first row of each series in it, and the number of rows),
    duration_s of each series.
    """
    _, numbered = np.unique(series, return_inverse=True)
    timed = rows.select(
        pl.Series("series_id", numbered.astype(np.int64)),
        pl.int_range(pl.len()).alias("phase"),
        pl.lit(0.0).alias("start_s"),
        pl.col("duration_s").alias("end_s"),
        "memory_gb",
    )
    law = stochastic(timed)
    duration_s = np.bincount(numbered, weights=rows["duration_s"].to_numpy())
    return numbered, {"law": law, "first": first_rows(law, ["series_id"]), "duration_s": duration_s}


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
