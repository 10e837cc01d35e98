"""What is asked of the machine: windows of traces whose jobs have memory of their own, and the scenarios on them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.runtime import sources
from pipeline.runtime.wording import did_you_mean
from pipeline.statistics.streams import stream
from pipeline.studies.memory_tiers import STUDY
from pipeline.studies.memory_tiers import tables as tiers
from pipeline.studies.memory_tiers.config import Sensitivity, TiersSweep
from pipeline.studies.memory_tiers.scenario import BASELINE, BY_REQUEST, GROWS, LOCAL_ALONE, row_of
from pipeline.studies.parts import share
from pipeline.tables.catalog import content_of
from pipeline.tables.results import scenario_schema

if TYPE_CHECKING:
    from pipeline.config import Configuration

JOBS = tables.polars_schema(tiers.TiersJob)
WORKLOADS = tables.polars_schema(tiers.TiersWorkload)
PHASES = {
    "workload_id": pl.String,
    "job_id": pl.String,
    "phase": pl.Int64,
    "duration_s": pl.Float64,
    "memory_gb": pl.Float64,
}
SCENARIOS = scenario_schema(STUDY)
MOST_JOBS = 100_000
"""Jobs that are replayed at once; a longer log is cut into consecutive parts."""
SPANS, FEWEST_JOBS = 20, 10
"""Parts that a whole log is cut into, for intervals, and the jobs that each has on average at least."""

Tables = dict[str, pl.DataFrame]


def workloads(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> Tables:
    """`jobs` and `phases` as `replay` takes them and `workloads`, one row per workload, from the canonical tables."""
    catalog = _whole(catalog)
    built: dict[str, Tables] = {}
    for sweep in _sweeps(config):
        for workload_id, trace, window in _windows(sweep, catalog):
            if workload_id not in built:
                built[workload_id] = _built(config, sweep, workload_id, trace, window, catalog)
    schemas = {"workloads": WORKLOADS, "jobs": JOBS, "phases": PHASES}
    return {
        name: pl.concat([pl.DataFrame(schema=schema), *(built[each][name] for each in sorted(built))])
        for name, schema in schemas.items()
    }


def scenarios(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Scenario table of the configuration: every sweep, each scenario once, sorted by id.

    `catalog` may hold, under `workloads`, the table of that name that `workloads` returns.
    """
    catalog = _whole(catalog)
    made = catalog["workloads"] if "workloads" in catalog else workloads(config, catalog)["workloads"]
    known = {row["workload_id"]: row for row in made.iter_rows(named=True)}
    largest = pl.col("most_memory_gb", "most_request_gb").max()
    grouped = made.group_by("family").agg(pl.col("mean_memory_gb").sort().mean(), largest)
    families = {row["family"]: row for row in grouped.iter_rows(named=True)}
    rows: dict[str, dict] = {}
    for sweep in _sweeps(config):
        for workload_id, _, _ in _windows(sweep, catalog):
            workload = known[workload_id]
            for row in _rows(sweep, workload, families[workload["family"]]):
                if rows.setdefault(row["scenario_id"], row) != row:
                    raise ValueError(f"two scenarios would have the id {row['scenario_id']!r}; set sizes further apart")
    return pl.DataFrame([rows[key] for key in sorted(rows)], schema=SCENARIOS)


def part(config: Configuration, catalog: Mapping[str, pl.DataFrame], drop: str | None) -> Configuration:
    """The configuration's share of one drop; None: of no drop, which is nothing."""
    catalog = _whole(catalog)
    traces, possible = catalog["traces"], lambda _: _traces(catalog)
    return share(config, "memory_tiers", drop, traces, takes_traces=lambda _: True, possible=possible)


def _whole(catalog: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The catalog with an empty table for each one that no drop has."""
    return {name: tables.empty(schema) for name, schema in tables.CANONICAL.items()} | dict(catalog)


def _sweeps(config: Configuration) -> list[TiersSweep]:
    return [sweep for sweep in config.memory_tiers.sweeps.values() if sweep is not None]


def _traces(catalog: Mapping[str, pl.DataFrame]) -> list[str]:
    """Traces whose jobs have run times and memory of their own, and share a machine of nodes: at least two.

    Where jobs share nodes, what a job on some cores finds in its node depends on its neighbours, which no log tells.
    """
    shared = catalog["traces"].filter(pl.col("unit") == tables.CORE, pl.col("cores_per_node") > 1)
    jobs = catalog["jobs"].join(shared, on="trace", how="anti")
    phased = jobs.join(_phases(catalog), on=["trace", "job_id"], how="semi")
    flat = jobs.filter(pl.col("used_memory_gb").is_not_null() & pl.col("runtime_s").is_not_null())
    known = pl.concat([phased.select("trace", "job_id"), flat.select("trace", "job_id")]).unique()
    return sorted(known.filter(pl.len().over("trace") > 1)["trace"].unique())


def _phases(catalog: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    return catalog["phases"].filter(pl.col("node").is_null())


def _windows(sweep: TiersSweep, catalog: Mapping[str, pl.DataFrame]) -> Iterator[tuple[str, str, tuple[int, int]]]:
    """Id, trace and slice of the jobs of each workload of a sweep."""
    possible = _traces(catalog)
    for trace in possible if sweep.traces is None else sweep.traces:
        if trace not in possible:
            raise ValueError(
                f"memory_tiers: trace {trace!r} has no jobs with memory, or is not there{did_you_mean(trace, possible)}"
            )
        jobs = len(catalog["jobs"].filter(pl.col("trace") == trace))
        if sweep.jobs is None:
            edges = np.linspace(0, jobs, -(-jobs // MOST_JOBS) + 1).astype(int).tolist()
            slices = list(itertools.pairwise(edges))
        else:
            windows = max(1, jobs // sweep.jobs)
            count = min(sweep.batches, windows)
            starts = [sweep.jobs * ((2 * b + 1) * windows // (2 * count)) for b in range(count)]
            slices = [(start, min(start + sweep.jobs, jobs)) for start in starts]
        by = f"/by{sweep.jobs}" if sweep.jobs else ""
        for batch, window in enumerate(slices):
            yield f"tiers/{trace}{by}/b{batch:02d}", trace, window


def _built(config, sweep: TiersSweep, workload_id: str, trace: str, window: tuple[int, int], catalog) -> Tables:
    """One workload: jobs of a window, with what a log does not say drawn and counted as assumed."""
    given, seed, key = config.memory_tiers, config.seed, (content_of(catalog, trace), *window)
    every, jobs, own = _jobs_of(catalog, trace, window)
    phases, assumed = _with_memory(jobs, own, stream(seed, "tiers memory", *key))
    of_job = (
        phases.group_by("place").agg(run_s=pl.col("duration_s").sum(), peak_gb=pl.col("memory_gb").max()).sort("place")
    )
    run_s, peak_gb = of_job["run_s"].to_numpy(), of_job["peak_gb"].to_numpy()
    asked = jobs["requested_memory_gb"].cast(pl.Float64).to_numpy()
    factor = stream(seed, "tiers request", *key).uniform(*given.request_over_use, len(jobs))
    request = np.where(np.isnan(asked), peak_gb * factor, np.fmax(asked, peak_gb))
    reported = jobs["sensitivity"].cast(pl.Float64).to_numpy()
    kind, beta = _sensitivities(given.sensitivity, stream(seed, "tiers sensitivity", *key), reported)
    nodes, submit = jobs["nodes"].to_numpy(), jobs["submit_s"].to_numpy()
    of_trace = catalog["traces"].filter(pl.col("trace") == trace).row(0, named=True)
    work = nodes * run_s

    def share(of: np.ndarray) -> float:
        return float(work[of].sum() / work.sum()) if len(work) else 0.0

    summary = {
        "workload_id": workload_id,
        "family": workload_id.rpartition("/b")[0],
        "trace": trace,
        "batch": int(workload_id.rpartition("/b")[2]),
        "nodes": of_trace["nodes"] if of_trace["nodes"] is not None else every["nodes"].max(),
        "node_memory_gb": of_trace["node_memory_gb"],
        "jobs": len(jobs),
        "jobs_left_out": (window[1] - window[0] if sweep.jobs is None else len(every)) - len(jobs),
        "spans": SPANS if sweep.jobs is None and len(jobs) >= SPANS * FEWEST_JOBS else 1,
        "memory_assumed": share(assumed),
        "request_assumed": share(np.isnan(asked)),
        "request_raised": share(asked < peak_gb),
        "sensitivity_assumed": share(np.isnan(reported)),
        "origin": of_trace["kind"],
    }
    if len(jobs):
        weight = phases["duration_s"].to_numpy() * nodes[phases["place"].to_numpy()]
        span_s = float(np.ptp(submit))
        summary |= {
            "offered_load": float(work.sum() / (summary["nodes"] * span_s)) if span_s else None,
            "mean_memory_gb": float(weight @ phases["memory_gb"].to_numpy() / weight.sum()),
            "most_memory_gb": float(peak_gb.max()),
            "mean_request_gb": float(work @ request / work.sum()),
            "most_request_gb": float(request.max()),
        }
    columns = {
        "workload_id": [workload_id] * len(jobs), "job_id": jobs["job_id"], "submit_s": submit, "nodes": nodes,
        "walltime_s": jobs["walltime_s"], "position": jobs["position"], "request_gb": request,
        "sensitivity": beta, "sensitivity_class": kind,
    }  # fmt: skip
    return {
        "workloads": pl.DataFrame([summary], schema=WORKLOADS),
        "jobs": pl.DataFrame(columns, schema=JOBS),
        "phases": phases.select(
            pl.lit(workload_id).alias("workload_id"), jobs["job_id"].gather(phases["place"]).alias("job_id"),
            "phase", "duration_s", "memory_gb",
        ).cast(PHASES),
    }  # fmt: skip


def _jobs_of(
    catalog: Mapping[str, pl.DataFrame], trace: str, window: tuple[int, int]
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """All jobs of a trace by submission, those of the window that can be replayed, and the phases that they have."""
    every = catalog["jobs"].filter(pl.col("trace") == trace)
    every = every.sort("submit_s", "position", "job_id", nulls_last=True)
    own = _own_phases(every, _phases(catalog).filter(pl.col("trace") == trace)).sort("job_id", "phase")
    jobs = every.slice(window[0], window[1] - window[0])
    jobs = jobs.filter(pl.col("runtime_s").is_not_null() | pl.col("job_id").is_in(own["job_id"].implode()))
    return every, jobs, own


def _own_phases(jobs: pl.DataFrame, phases: pl.DataFrame) -> pl.DataFrame:
    """Phases of the jobs that have memory (job_id, phase, duration_s, memory_gb); one figure a job is one phase."""
    flat = (
        jobs.join(phases, on="job_id", how="anti", maintain_order="left")
        .filter(pl.col("used_memory_gb").is_not_null() & pl.col("runtime_s").is_not_null())
        .select("job_id", phase=pl.lit(0, pl.Int64), duration_s="runtime_s", memory_gb="used_memory_gb")
    )
    of_jobs = phases.join(jobs, on="job_id", how="semi")
    return pl.concat([of_jobs.select(flat.columns), flat])


def _with_memory(jobs: pl.DataFrame, own: pl.DataFrame, rng: np.random.Generator) -> tuple[pl.DataFrame, np.ndarray]:
    """Phases by `place` of the job, and whose are assumed: those of another job, stretched to the run time."""
    bounds = np.append(np.flatnonzero((own["job_id"] != own["job_id"].shift()).fill_null(True)), len(own))
    lenders = pl.DataFrame({"job_id": own["job_id"].gather(bounds[:-1]), "own": np.arange(len(bounds) - 1)})
    of_job = jobs.select("job_id").join(lenders, on="job_id", how="left", maintain_order="left")["own"]
    assumed = of_job.is_null().to_numpy()
    drawn = rng.integers(0, len(bounds) - 1, size=len(jobs))
    whose = np.where(assumed, drawn, of_job.fill_null(0).to_numpy())
    count = np.diff(bounds)[whose]
    place = np.repeat(np.arange(len(jobs)), count)
    take = np.repeat(bounds[whose] - np.cumsum(count) + count, count) + np.arange(count.sum())
    duration = own["duration_s"].to_numpy()
    whole = np.add.reduceat(duration, bounds[:-1])[whose]
    stretch = np.where(assumed, jobs["runtime_s"].fill_null(0).to_numpy() / whole, 1.0)
    columns = {
        "place": place,
        "phase": take - np.repeat(bounds[whose], count),
        "duration_s": duration[take] * stretch[place],
        "memory_gb": own["memory_gb"].to_numpy()[take],
    }
    return pl.DataFrame(columns), assumed


def _sensitivities(
    classes: Mapping[str, Sensitivity], rng: np.random.Generator, reported: np.ndarray
) -> tuple[list[str], np.ndarray]:
    """Class and slowdown of each job: told by the log, of the class with the nearest slowdown; else (nan) drawn."""
    names = list(classes)
    slowdowns = np.array([classes[name].slowdown for name in names])
    edges = np.cumsum([classes[name].share for name in names])
    drawn = np.minimum(np.searchsorted(edges, rng.random(len(reported)), side="right"), len(names) - 1)
    nearest = np.abs(reported[:, None] - slowdowns).argmin(axis=1)
    kind = np.where(np.isnan(reported), drawn, nearest)
    return [names[i] for i in kind], np.where(np.isnan(reported), slowdowns[drawn], reported)


def _rows(sweep: TiersSweep, workload: dict, family: dict) -> Iterator[dict]:
    """Scenarios of a sweep on one workload of a family, whose mean memory sizes are multiples of.

    Without a pool, nodes with as much memory as any job is given are among them: there no job waits for memory.
    """
    mean_gb = family["mean_memory_gb"]
    if not mean_gb:
        return
    locals_gb, pools_gb = ([round(m * mean_gb, 9) for m in of] for of in (sweep.local_over_mean, sweep.pool_over_mean))
    names = sources.schedulers("memory_tiers") if sweep.schedulers is None else sweep.schedulers
    options = itertools.product(names, _queues(sweep), sweep.sensitivity_scale, sweep.growth)
    for scheduler, queue, scale, growth in options:
        if growth != STUDY.defaults["growth"] and scheduler != GROWS:
            continue
        most_gb = round(family["most_request_gb" if scheduler in BY_REQUEST else "most_memory_gb"], 9)
        sizes = [*itertools.product(locals_gb, [0.0] if scheduler in LOCAL_ALONE else pools_gb), (most_gb, 0.0)]
        for local, pool in [(None, None)] if scheduler == BASELINE else sizes:
            if local == 0 and scheduler in LOCAL_ALONE:
                continue
            given = {**queue, "sensitivity_scale": scale if pool else 1.0, "growth": growth}
            options_given = {name: value for name, value in given.items() if value != STUDY.defaults[name]}
            yield row_of(workload, scheduler, local, pool, **options_given)


def _queues(sweep: TiersSweep) -> list[dict]:
    """How the queue is run, as columns of a scenario."""
    plain = [{"backfilling": name} for name in sweep.backfilling if name != "reserve"]
    deep = [{"backfilling": "reserve", "reserve_depth": depth} for depth in sweep.reserve_depth]
    return plain + (deep if "reserve" in sweep.backfilling else [])
