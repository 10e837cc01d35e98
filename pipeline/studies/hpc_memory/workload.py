"""What is asked of the machine: workloads (synthetic, replayed, composed) and the scenarios on them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.runtime.wording import did_you_mean
from pipeline.simulation.table import require_known
from pipeline.statistics import job_laws as laws
from pipeline.statistics.streams import stream
from pipeline.studies.hpc_memory import STUDY, fitted
from pipeline.studies.hpc_memory import tables as hpc_memory
from pipeline.studies.hpc_memory.bins import HISTORY, OWN
from pipeline.studies.hpc_memory.config import Queue, Sweep
from pipeline.studies.hpc_memory.replay import DEFAULTS, WARM_UP
from pipeline.studies.hpc_memory.schedulers import SCHEDULERS
from pipeline.studies.parts import share
from pipeline.tables.catalog import content_of
from pipeline.tables.results import scenario_schema

if TYPE_CHECKING:
    from pipeline.config import Configuration

JOBS = tables.polars_schema(hpc_memory.HpcMemoryJob)
PHASES = {
    "workload_id": pl.String,
    "job_id": pl.String,
    "phase": pl.Int64,
    "duration_s": pl.Float64,
    "memory_gb": pl.Float64,
}
PROFILES = {"workload_id": pl.String, "job_id": pl.String, "memory_gb": pl.Float64, "probability": pl.Float64}
OF_LOG = ("walltime_s", "position", "user", "name", "log_start_s", "log_end_s", "requested_memory_gb")
"""What a log has of its jobs beside release and nodes."""
WORKLOADS = tables.polars_schema(hpc_memory.Workload)
SCENARIOS = scenario_schema(STUDY)
BASELINE = "unlimited"
"""The scheduler that losses are measured against: memory and its reconfiguration do not touch it, so it runs once a
workload, alpha (which estimates depend on) and backfilling rule."""

NODE_MEMORY_GB = 256.0
"""Memory of a node that savings on synthetic workloads are counted from: Marconi100's (paper, Section I)."""

NODE_CORES = 32
"""Cores of such a node (two Power9 of 16 cores each): where a log counts cores, the mean of the laws is a core's."""

QUEUE = tuple(Queue.model_fields)
"""Columns of a scenario that say how a site runs its queue."""

ASSUMED = "assumed"
"""In ids, what a log is composed with where no trace lends its memory: the documented laws."""
MOST_JOBS = 100_000
"""Jobs that are replayed at once; a longer log is cut into consecutive parts of nearly equal length, all replayed."""
WEEK_S, DAY_S = 7 * 86400, 86400
FEWEST_SPANS = 20
"""Spans of time that an interval takes: weeks where a replay has so many, else days, else twentieths."""
FEWEST_JOBS = 10
"""Jobs per span, on average, below which a replay is one span: no interval can be had from so few."""

Tables = dict[str, pl.DataFrame]


def workloads(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> Tables:
    """Jobs, phases and profiles of every workload that the sweeps of the configuration need.

    `catalog` holds the canonical tables of all drops (traces, jobs, phases, profiles). Returns `jobs`, `phases`,
    `profiles` and `given` as `replay` takes them and `workloads`, one row per workload: where it comes from (kind,
    origin synthetic | measured | generated | composed), the law's parameters, jobs, jobs left out, mean memory per node
    in use (by node-seconds, GB).
    """
    catalog = _whole(catalog)
    built: dict[str, Tables] = {}
    for sweep in _sweeps(config):
        for workload_id, build in _recipes(config, sweep, catalog):
            if workload_id not in built:
                built[workload_id] = build()
    for workload_id, build in _timeline_recipe(config):
        built[workload_id] = build()
    schemas = {"workloads": WORKLOADS, "jobs": JOBS, "phases": PHASES, "profiles": PROFILES, "given": PROFILES}
    return {
        name: pl.concat([pl.DataFrame(schema=schema), *(built[w][name] for w in sorted(built))])
        for name, schema in schemas.items()
    }


def scenarios(config: Configuration, catalog: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Scenario table of the configuration: every sweep, each scenario once, sorted by id.

    `catalog` holds the canonical tables of all drops and may hold, under `workloads`, the table of that name that
    `workloads` returns, so that it need not be made again.
    """
    catalog = _whole(catalog)
    made = catalog["workloads"] if "workloads" in catalog else workloads(config, catalog)["workloads"]
    known = {row["workload_id"]: row for row in made.iter_rows(named=True)}
    rows: dict[str, dict] = {}
    for sweep in _sweeps(config):
        for workload_id, _ in _recipes(config, sweep, catalog):
            for row in _rows(sweep, known[workload_id], _mean_gb(config, workload_id, known, catalog)):
                if rows.setdefault(row["scenario_id"], row) != row:
                    raise ValueError(f"two scenarios would have the id {row['scenario_id']!r}; set sizes further apart")
    for workload_id, _ in _timeline_recipe(config):
        sweep = Sweep(workload="phased", memory_per_node_gb=[115])
        for row in _rows(sweep, known[workload_id], None):
            rows[row["scenario_id"]] = row | {"timeline": True}
    return pl.DataFrame([rows[key] for key in sorted(rows)], schema=SCENARIOS)


def part(config: Configuration, catalog: Mapping[str, pl.DataFrame], drop: str | None) -> Configuration:
    """The configuration's share that depends on the jobs of one drop, or on laws fitted to them; None: on no drop.

    Raises ValueError where a sweep names a trace that is in no drop of the catalog.
    """
    catalog = _whole(catalog)
    if drop is not None:
        config = config.model_copy(update={"hpc_memory": config.hpc_memory.model_copy(update={"timeline": 0})})
    traces, possible = catalog["traces"], lambda sweep: _possible(sweep, catalog)
    return share(config, "hpc_memory", drop, traces, takes_traces=_of_a_trace, possible=possible)


def _of_a_trace(sweep: Sweep) -> bool:
    return sweep.workload in ("replayed", "composed") or sweep.laws != "documented"


def _whole(catalog: Mapping[str, pl.DataFrame]) -> dict[str, pl.DataFrame]:
    """The catalog with an empty table for each one that no drop has."""
    return {name: tables.empty(schema) for name, schema in tables.CANONICAL.items()} | dict(catalog)


def _sweeps(config: Configuration) -> list[Sweep]:
    return [sweep for sweep in config.hpc_memory.sweeps.values() if sweep is not None]


def _recipes(config: Configuration, sweep: Sweep, catalog: Mapping[str, pl.DataFrame]) -> Iterator:
    """Id and builder of each workload of a sweep."""
    if sweep.workload == "phased" and sweep.laws != "documented":
        for trace in _chosen(_possible(sweep, catalog), sweep.traces, catalog, f"{sweep.laws} laws"):
            for load, batch in itertools.product(sweep.load, range(sweep.batches)):
                settings = f"{sweep.laws}-n{sweep.jobs}-P{sweep.nodes}-{sweep.release}{load:.12g}"
                workload_id = f"phased/{trace}/{settings}/b{batch:02d}"
                yield (
                    workload_id,
                    lambda w=workload_id, t=trace, b=batch, x=load: _of_laws(config.seed, sweep, w, t, b, x, catalog),
                )
    elif sweep.workload == "phased":
        for (load, spread), batch in itertools.product(_laws_of(config.seed, sweep), range(sweep.batches)):
            settings = f"n{sweep.jobs}-P{sweep.nodes}-{sweep.job_nodes}-{sweep.memory_law}-{sweep.release}{load:.12g}"
            settings += "".join(f"-{name}:{value}" for name, value in laws.differing(spread))
            workload_id = f"phased/{settings}/b{batch:02d}"
            yield (
                workload_id,
                lambda w=workload_id, b=batch, x=load, s=spread: _phased(config.seed, sweep, w, b, x, s),
            )
    elif sweep.workload == "dynamic":
        for load, tau_s, batch in itertools.product(sweep.load, sweep.tau_s, range(sweep.batches)):
            settings = f"n{sweep.jobs}-P{sweep.nodes}-{sweep.job_nodes}-{sweep.release}{load:.12g}-tau{tau_s:.12g}"
            workload_id = f"dynamic/{settings}/b{batch:02d}"
            yield workload_id, lambda w=workload_id, b=batch, x=load, t=tau_s: _dynamic(config.seed, sweep, w, b, x, t)
    elif sweep.workload == "replayed":
        for trace in _chosen(_possible(sweep, catalog), sweep.traces, catalog, "replayed"):
            windows = _windows(sweep, trace, catalog)
            for batch in _spread(min(sweep.batches, windows) if sweep.jobs else windows, windows):
                workload_id = f"replayed/{trace}{_by(sweep)}/b{batch:02d}"
                yield workload_id, lambda w=workload_id, t=trace, b=batch: _replayed(config, sweep, w, t, b, catalog)
    else:
        lent = [None] if sweep.shapes is None else sweep.shapes
        with_shapes = _chosen(_traces_with_shapes(catalog), [s for s in lent if s], catalog, "shapes") or [None]
        for trace in _chosen(_possible(sweep, catalog), sweep.traces, catalog, "composed"):
            windows = _windows(sweep, trace, catalog)
            batches = _spread(sweep.batches if sweep.jobs else windows, windows)
            for shapes, batch in itertools.product(with_shapes, batches):
                if shapes == trace:
                    continue
                workload_id = f"composed/{trace}+{shapes or ASSUMED}{_by(sweep)}/b{batch:02d}"
                yield (
                    workload_id,
                    lambda w=workload_id, t=trace, s=shapes, b=batch: _composed(config, sweep, w, t, s, b, catalog),
                )


def _timeline_recipe(config: Configuration) -> Iterator:
    """The small workload whose replays are kept instant by instant."""
    jobs = config.hpc_memory.timeline
    if jobs:
        sweep = Sweep(workload="phased", jobs=jobs)
        yield "phased/timeline", lambda: _phased(config.seed, sweep, "phased/timeline", 0, 0.9, laws.DOCUMENTED)


def _chosen(possible: list[str], wanted: list[str] | None, catalog: Mapping, use: str) -> list[str]:
    """Traces a sweep uses; one asked for that is not there, or lacks what is needed, is an error."""
    if wanted is None:
        return possible
    for trace in wanted:
        if trace not in possible:
            there = catalog["traces"]["trace"].to_list()
            why = "has no jobs or memory series for it" if trace in there else "is not among the traces"
            raise ValueError(f"hpc_memory sweep ({use}): trace {trace!r} {why}{did_you_mean(trace, possible)}")
    return list(wanted)


def _possible(sweep: Sweep, catalog: Mapping[str, pl.DataFrame]) -> list[str]:
    """Traces that a sweep can take its jobs from: with memory of their own, or for composing with run times; or that
    it can take its laws from.

    A trace with memory of its own is composed only where the sweep names it.
    """
    if sweep.workload == "replayed":
        return _traces_with_memory(catalog)
    if sweep.workload == "phased":
        return fitted.traces(catalog, sweep.laws, sweep.nodes)
    with_memory = _traces_with_memory(catalog) if sweep.traces is None else []
    return [trace for trace in _traces_with_jobs(catalog) if trace not in with_memory]


def _traces_with_jobs(catalog: Mapping[str, pl.DataFrame]) -> list[str]:
    """Traces whose jobs have run times."""
    return sorted(catalog["jobs"].filter(pl.col("runtime_s").is_not_null())["trace"].unique())


def _traces_with_shapes(catalog: Mapping[str, pl.DataFrame]) -> list[str]:
    return sorted(_job_phases(catalog)["trace"].unique())


def _traces_with_memory(catalog: Mapping[str, pl.DataFrame]) -> list[str]:
    """Traces whose jobs can be replayed with their own memory: phases, or at least one figure a job."""
    jobs = catalog["jobs"]
    phased = jobs.join(_job_phases(catalog), on=["trace", "job_id"], how="semi")
    flat = jobs.filter(pl.col("used_memory_gb").is_not_null() & pl.col("runtime_s").is_not_null())
    return sorted(pl.concat([phased["trace"], flat["trace"]]).unique())


def _job_phases(catalog: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    return catalog["phases"].filter(pl.col("node").is_null())


def _laws_of(seed: int, sweep: Sweep) -> list[tuple[float, laws.Spread]]:
    """Offered loads of a sweep of phased workloads, each with how far its laws spread."""
    if sweep.hypercube:
        return laws.varied_together(sweep.hypercube, stream(seed, "varied together", sweep.hypercube))
    return [(load, laws.Spread(**sweep.spread.model_dump())) for load in sweep.load]


def _phased(seed: int, sweep: Sweep, workload_id: str, batch: int, load: float, spread: laws.Spread) -> Tables:
    sizes = laws.nodes(stream(seed, "nodes", sweep.job_nodes, batch), sweep.job_nodes, sweep.jobs)
    count = laws.phases(stream(seed, "phases", batch), sweep.jobs, spread.sigma_phases)
    total = int(count.sum())
    lengths = laws.lengths_s(stream(seed, "lengths", batch), total, spread.sigma_length)
    memory = laws.memory_gb(stream(seed, "memory", sweep.memory_law, batch), sweep.memory_law, total, spread)
    work_s = laws.mean_phases(spread.sigma_phases) * laws.MEAN_LENGTH_S
    release = laws.releases_s(sizes, sweep.nodes, work_s, load, sweep.release)
    facts = {"kind": "phased", "batch": batch, "load": load, "release": sweep.release, "job_nodes": sweep.job_nodes,
             "memory_law": sweep.memory_law, "laws": "documented", "nodes": sweep.nodes,
             "law_spread": ", ".join(f"{name} {value}" for name, value in laws.differing(spread)) or None,
             "node_memory_gb": NODE_MEMORY_GB,
             "origin": "synthetic"}  # fmt: skip
    return _assembled(workload_id, facts, _drawn(release, sizes), count, lengths, memory)


def _of_laws(
    seed: int, sweep: Sweep, workload_id: str, trace: str, batch: int, load: float, catalog: Mapping[str, pl.DataFrame]
) -> Tables:
    """Phased jobs drawn from the laws of a trace; the gaps between releases have these laws' E[N_p] E[L]."""
    of_trace = fitted.of_trace(catalog, trace, sweep.laws)
    drawn = fitted.draw(of_trace, seed, content_of(catalog, trace), batch, sweep.jobs, sweep.nodes)
    work_s, mean_length_s = of_trace.work_s(), of_trace.length_s.mean
    release = laws.releases_s(drawn.nodes, sweep.nodes, work_s, load, sweep.release, mean_length_s)
    node_memory_gb = catalog["traces"].filter(pl.col("trace") == trace)["node_memory_gb"][0]
    facts = {"kind": "phased", "trace": trace, "batch": batch, "load": load, "release": sweep.release,
             "job_nodes": of_trace.nodes_name, "memory_law": of_trace.memory_name, "laws": sweep.laws,
             "nodes": sweep.nodes, "node_memory_gb": node_memory_gb, "origin": tables.FITTED}  # fmt: skip
    jobs = _drawn(release, drawn.nodes)
    return _assembled(workload_id, facts, jobs, drawn.phases, drawn.length_s, drawn.memory_gb)


def _dynamic(seed: int, sweep: Sweep, workload_id: str, batch: int, load: float, tau_s: float) -> Tables:
    sizes = laws.nodes(stream(seed, "nodes", sweep.job_nodes, batch), sweep.job_nodes, sweep.jobs)
    low, high = laws.DYNAMIC_PHASES
    count = stream(seed, "dynamic phases", batch).integers(low, high, size=sweep.jobs, endpoint=True)
    kind = stream(seed, "dynamic kind", batch).integers(0, len(laws.DYNAMIC_TRUNCATIONS_GB), size=sweep.jobs)
    memory = laws.dynamic_memory_gb(stream(seed, "dynamic memory", batch), np.repeat(kind, count))
    release = laws.releases_s(sizes, sweep.nodes, (low + high) / 2 * tau_s, load, sweep.release)
    facts = {"kind": "dynamic", "batch": batch, "load": load, "release": sweep.release, "job_nodes": sweep.job_nodes,
             "memory_law": "truncated normal", "laws": "documented", "tau_s": tau_s, "nodes": sweep.nodes,
             "node_memory_gb": NODE_MEMORY_GB, "origin": "synthetic"}  # fmt: skip
    jobs = _drawn(release, sizes)
    lengths = np.full(int(count.sum()), float(tau_s))
    built = _assembled(workload_id, facts, jobs, count, lengths, memory)
    profiles = [laws.dynamic_profile(k) for k in range(len(laws.DYNAMIC_TRUNCATIONS_GB))]
    levels = np.array([len(profiles[k][0]) for k in kind])
    built["profiles"] = pl.DataFrame(
        {
            "workload_id": [workload_id] * int(levels.sum()),
            "job_id": jobs["job_id"].gather(np.repeat(np.arange(sweep.jobs), levels)),
            "memory_gb": np.concatenate([profiles[k][0] for k in kind]),
            "probability": np.concatenate([profiles[k][1] for k in kind]),
        },
        schema=PROFILES,
    )
    return built


def _replayed(
    config: Configuration, sweep: Sweep, workload_id: str, trace: str, batch: int, catalog: Mapping[str, pl.DataFrame]
) -> Tables:
    """A trace's own jobs with fitted or given phases; where it has one figure per job, that for its whole life.

    A job without memory, whose run time is known, is not left out, as the machine would be emptier than it was: its
    memory is assumed, that of another job of the trace, drawn at random and stretched to the run time.
    """
    jobs, left_out = _window(sweep, trace, batch, catalog)
    own = _own_phases(catalog, trace)
    with_memory = jobs.join(own, on="job_id", how="semi", maintain_order="left")
    without = jobs.join(own, on="job_id", how="anti", maintain_order="left").filter(pl.col("runtime_s").is_not_null())
    rng = stream(config.seed, "missing memory", content_of(catalog, trace), batch)
    phases = pl.concat(
        [
            own.join(with_memory.select("job_id"), on="job_id", how="semi"),
            _lent(without, own.sort("job_id", "phase"), rng),
        ]
    )
    usable = jobs.join(phases, on="job_id", how="semi", maintain_order="left")
    phases = usable.select("job_id").with_row_index("place").join(phases, on="job_id", maintain_order="left")
    phases = phases.sort("place", "phase")
    count = np.bincount(phases["place"].to_numpy(), minlength=len(usable))
    assumed = usable["job_id"].is_in(without["job_id"].implode()).to_numpy()
    work = usable["nodes"].to_numpy() * _sums(phases["duration_s"].to_numpy(), count)
    of_trace = catalog["traces"].filter(pl.col("trace") == trace).row(0, named=True)
    facts = {"kind": "replayed", "trace": trace, "batch": batch, "nodes": _trace_nodes(catalog, trace),
             "cores_per_node": _cores_per_node(of_trace),
             "node_memory_gb": of_trace["node_memory_gb"], "origin": of_trace["kind"],
             "memory_origin": of_trace["memory_origin"] or "measured",
             "memory_assumed": float(work[assumed].sum() / work.sum()) if len(work) else 0.0,
             "whole": sweep.jobs is None, "jobs_left_out": left_out + len(jobs) - len(usable)}  # fmt: skip
    built = _assembled(
        workload_id, facts, usable, count, phases["duration_s"].to_numpy(), phases["memory_gb"].to_numpy()
    )
    given = catalog["profiles"].filter(pl.col("trace") == trace, pl.col("origin") == tables.GIVEN)
    given = given.join(usable, on="job_id", how="semi").sort("job_id", "memory_gb")
    built["given"] = given.with_columns(workload_id=pl.lit(workload_id)).select(list(PROFILES))
    return built


def _own_phases(catalog: Mapping[str, pl.DataFrame], trace: str) -> pl.DataFrame:
    """Phases of a trace's jobs (job_id, phase, duration_s, memory_gb); of a job with one figure it is the only one."""
    jobs = catalog["jobs"].filter(pl.col("trace") == trace)
    phases = _job_phases(catalog).filter(pl.col("trace") == trace)
    flat = (
        jobs.join(phases, on="job_id", how="anti", maintain_order="left")
        .filter(pl.col("used_memory_gb").is_not_null() & pl.col("runtime_s").is_not_null())
        .select("job_id", phase=pl.lit(0, pl.Int64), duration_s="runtime_s", memory_gb="used_memory_gb")
    )
    return pl.concat([phases.select(flat.columns), flat])


def _lent(jobs: pl.DataFrame, series: pl.DataFrame, rng: np.random.Generator) -> pl.DataFrame:
    """Phases for jobs that have none: those of a drawn series each, stretched to the job's run time.

    series: phases (job_id, phase, duration_s, memory_gb), sorted by these. Columns and order of rows are as in it.
    """
    columns = ["job_id", "phase", "duration_s", "memory_gb"]
    if not len(jobs):
        return series.select(columns).clear()
    bounds = np.append(np.flatnonzero((series["job_id"] != series["job_id"].shift()).fill_null(True)), len(series))
    duration, memory = series["duration_s"].to_numpy(), series["memory_gb"].to_numpy()
    drawn = rng.integers(0, len(bounds) - 1, size=len(jobs))
    count = np.diff(bounds)[drawn]
    take = np.repeat(bounds[drawn] - np.cumsum(count) + count, count) + np.arange(count.sum())
    whole = np.add.reduceat(duration, bounds[:-1])[drawn]
    return pl.DataFrame(
        {
            "job_id": jobs["job_id"].gather(np.repeat(np.arange(len(jobs)), count)),
            "phase": take - np.repeat(bounds[drawn], count),
            "duration_s": duration[take] * np.repeat(jobs["runtime_s"].to_numpy() / whole, count),
            "memory_gb": memory[take],
        }
    ).select(columns)


def _assumed(jobs: pl.DataFrame, seed: int, content: str, batch: int) -> pl.DataFrame:
    """Phases for jobs by the documented laws of N_p, L_m and X_m, stretched to the jobs' run times.

    content: of the trace, which the random numbers come from.
    """
    count = laws.phases(stream(seed, "assumed phases", content, batch), len(jobs))
    total = int(count.sum())
    lengths = laws.lengths_s(stream(seed, "assumed lengths", content, batch), total)
    memory = laws.memory_gb(stream(seed, "assumed memory", content, batch), "beta", total)
    owner = np.repeat(np.arange(len(jobs)), count)
    stretch = jobs["runtime_s"].to_numpy() / _sums(lengths, count)
    return pl.DataFrame(
        {
            "job_id": jobs["job_id"].gather(owner),
            "phase": np.arange(total) - np.repeat(np.cumsum(count) - count, count),
            "duration_s": lengths * stretch[owner],
            "memory_gb": memory,
        }
    )


def _composed(config: Configuration, sweep: Sweep, workload_id: str, trace: str, shapes: str | None, batch: int,
              catalog: Mapping[str, pl.DataFrame]) -> Tables:  # fmt: skip
    """Jobs of one trace with memory that is assumed: the series of another trace, or the documented laws.

    Series are stretched to the jobs' run times, and all memory is scaled to one mean by node time.
    """
    jobs, left_out = _window(sweep, trace, batch % _windows(sweep, trace, catalog), catalog)
    usable = jobs.filter(pl.col("runtime_s").is_not_null())
    if shapes is None:
        phases = _assumed(usable, config.seed, content_of(catalog, trace), batch)
    else:
        series = _job_phases(catalog).filter(pl.col("trace") == shapes).sort("job_id", "phase")
        of_both = content_of(catalog, trace), content_of(catalog, shapes)
        phases = _lent(usable, series, stream(config.seed, "composed", *of_both, batch))
    first = (phases["phase"] == 0).to_numpy()
    count = np.diff(np.append(np.flatnonzero(first), len(phases)))
    lengths, memory = phases["duration_s"].to_numpy(), phases["memory_gb"].to_numpy()
    weight = lengths * np.repeat(usable["nodes"].to_numpy(), count)
    mean = float(weight @ memory / weight.sum()) if len(usable) else 0.0
    of_trace = catalog["traces"].filter(pl.col("trace") == trace).row(0, named=True)
    if mean > 0:
        memory = memory * (_composed_mean_gb(config, of_trace) / mean)
    facts = {"kind": "composed", "trace": trace, "shapes": shapes, "batch": batch,
             "nodes": _trace_nodes(catalog, trace), "cores_per_node": _cores_per_node(of_trace),
             "origin": "assumed" if shapes is None else "composed",
             "memory_origin": "assumed", "memory_assumed": 1.0,
             "memory_law": "beta" if shapes is None else None, "laws": "documented" if shapes is None else None,
             "whole": sweep.jobs is None, "jobs_left_out": left_out + len(jobs) - len(usable)}  # fmt: skip
    # What a job asked for says nothing of memory that is assumed.
    usable = usable.with_columns(requested_memory_gb=pl.lit(None, pl.Float64))
    return _assembled(workload_id, facts, usable, count, lengths, memory)


def _mean_gb(config: Configuration, workload_id: str, known: dict[str, dict], catalog: Mapping) -> float | None:
    """Mean memory that machines are sized by, the same for all batches of a workload: they get the same machine.

    Composed workloads are scaled to one mean; of a trace it is the mean over its windows, of its laws that of X_m.
    """
    if known[workload_id]["kind"] == "composed":
        of_trace = catalog["traces"].filter(pl.col("trace") == known[workload_id]["trace"]).row(0, named=True)
        return _composed_mean_gb(config, of_trace) * _cores_per_node(of_trace)
    if known[workload_id]["kind"] == "phased" and known[workload_id]["trace"] is not None:
        return fitted.of_trace(catalog, known[workload_id]["trace"], known[workload_id]["laws"]).memory_gb.mean
    family = known[workload_id]["family"]
    means = [row["mean_memory_gb"] for row in known.values() if row["family"] == family]
    means = [mean for mean in means if mean is not None]
    return sum(means) / len(means) if means else None


def _cores_per_node(of_trace: Mapping) -> int:
    """Cores of a node of a trace that counts cores, where they are known; else 1."""
    return of_trace.get("cores_per_node") or 1


def _composed_mean_gb(config: Configuration, of_trace: Mapping) -> float:
    """Mean memory that a log's jobs are given per node in use, or per core where that is what the log counts: what its
    drop states, or that of the configuration.
    """
    if of_trace.get("mean_memory_stated_gb") is not None:
        return of_trace["mean_memory_stated_gb"]
    return config.hpc_memory.composed_mean_gb / (NODE_CORES if of_trace["unit"] == tables.CORE else 1)


def _by(sweep: Sweep) -> str:
    """What tells workloads of a trace apart: the jobs they are limited to."""
    return f"/by{sweep.jobs}" if sweep.jobs else ""


def _windows(sweep: Sweep, trace: str, catalog: Mapping[str, pl.DataFrame]) -> int:
    """Windows that a trace is cut into: of the sweep's number of jobs, without a shorter rest unless it is the only
    one; or, without that number, as few as hold the whole trace with at most MOST_JOBS jobs each.
    """
    jobs = len(catalog["jobs"].filter(pl.col("trace") == trace))
    return max(1, -(-jobs // MOST_JOBS) if sweep.jobs is None else jobs // sweep.jobs)


def _spread(batches: int, windows: int) -> list[int]:
    """Numbers of the batches of a trace, batch b taking window b modulo `windows`.

    Fewer batches than windows are spread evenly over the trace, so that they represent the whole of it.
    """
    if batches >= windows:
        return list(range(batches))
    return [(2 * b + 1) * windows // (2 * batches) for b in range(batches)]


def _window(sweep: Sweep, trace: str, window: int, catalog: Mapping[str, pl.DataFrame]) -> tuple[pl.DataFrame, int]:
    """Jobs of one window of a trace, by submission, and how many of the trace are left out.

    A job that requested no time gives backfilling its run time for an estimate (said in the trace's note).
    """
    jobs = catalog["jobs"].filter(pl.col("trace") == trace)
    jobs = jobs.sort("submit_s", "position", "job_id", nulls_last=True)
    jobs = jobs.with_columns(
        walltime_s=pl.coalesce("walltime_s", "runtime_s"),
        log_start_s="start_s",
        log_end_s=pl.coalesce("end_s", pl.col("start_s") + pl.col("runtime_s")),
    )
    if sweep.jobs is None:
        edges = np.linspace(0, len(jobs), _windows(sweep, trace, catalog) + 1).astype(int)
        begin, end = int(edges[window]), int(edges[window + 1])
    else:
        begin, end = window * sweep.jobs, (window + 1) * sweep.jobs
    of_window = jobs.slice(begin, end - begin)
    # All windows of a whole log are replayed: what is not in this one is in another.
    return of_window, 0 if sweep.jobs is None else len(jobs) - len(of_window)


def _spans(release_s: np.ndarray) -> int:
    """Parts that a replay after its warm-up is cut into."""
    length_s = (1 - WARM_UP) * (release_s[-1] - release_s[0]) if len(release_s) else 0.0
    if not length_s or len(release_s) < FEWEST_SPANS * FEWEST_JOBS:
        return 1
    for unit_s in (WEEK_S, DAY_S):
        spans = int(length_s // unit_s)
        if spans >= FEWEST_SPANS and len(release_s) >= spans * FEWEST_JOBS:
            return spans
    return FEWEST_SPANS


def _sums(values: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Sums over consecutive stretches of `count` values."""
    return np.bincount(np.repeat(np.arange(len(count)), count), values, minlength=len(count))


def _trace_nodes(catalog: Mapping[str, pl.DataFrame], trace: str) -> int:
    """Nodes of the traced machine; where a hand-made catalog does not say, of the largest job."""
    known = catalog["traces"].filter(pl.col("trace") == trace)["nodes"][0]
    return known if known is not None else catalog["jobs"].filter(pl.col("trace") == trace)["nodes"].max()


def _has_history(of_log: pl.DataFrame) -> bool:
    """Whether users and ends of jobs are known, so that an operator has earlier runs to look at."""
    return {"user", "log_end_s"} <= set(of_log.columns) and len(of_log.drop_nulls(["user", "log_end_s"])) > 0


def _drawn(release_s: np.ndarray, sizes: np.ndarray) -> pl.DataFrame:
    """Jobs that are of no log, numbered from 1."""
    width = len(str(len(sizes)))
    return pl.DataFrame(
        {"job_id": [f"{j:0{width}d}" for j in range(1, len(sizes) + 1)], "submit_s": release_s, "nodes": sizes}
    )


def _assembled(
    workload_id: str, facts: dict, of_log: pl.DataFrame, phase_count: np.ndarray, lengths_s: np.ndarray,
    memory_gb: np.ndarray,
) -> Tables:  # fmt: skip
    """The tables of one workload; `phase_count` phases per job, in the order of the jobs.

    of_log: job_id, submit_s, nodes and those of OF_LOG that there are.
    """
    jobs = len(of_log)
    owner = np.repeat(np.arange(jobs), phase_count)
    release_s, sizes = of_log["submit_s"].to_numpy(), of_log["nodes"].to_numpy()
    first = np.repeat(np.cumsum(phase_count) - phase_count, phase_count)
    weight = lengths_s * sizes[owner]
    span_s = float(np.ptp(release_s)) if jobs else 0.0
    drawn = {"jobs_left_out": 0, "cores_per_node": 1, "memory_origin": facts["origin"], "memory_assumed": 0.0}
    summary = dict.fromkeys(WORKLOADS) | drawn | facts
    summary.pop("whole", None)
    summary |= {
        "workload_id": workload_id,
        "family": workload_id.rpartition("/b")[0] or workload_id,
        "jobs": jobs,
        "knowledge": HISTORY if _has_history(of_log) else OWN,
        # Workloads with batches, which are drawn or windows of so many jobs, are resampled by batch.
        "spans": _spans(release_s) if facts.get("whole") else 1,
        "offered_load": float(weight.sum() / (facts["nodes"] * span_s)) if span_s else None,
        "mean_memory_gb": float(weight @ memory_gb / weight.sum()) * facts.get("cores_per_node", 1) if jobs else None,
    }
    return {
        "workloads": pl.DataFrame([summary], schema=WORKLOADS),
        "jobs": of_log.select(
            pl.lit(workload_id).alias("workload_id"),
            "job_id",
            "submit_s",
            "nodes",
            *(name if name in of_log.columns else pl.lit(None).alias(name) for name in OF_LOG),
        ).cast(JOBS),
        "phases": pl.DataFrame(
            {
                "workload_id": [workload_id] * len(owner),
                "job_id": of_log["job_id"].gather(owner),
                "phase": np.arange(len(owner)) - first,
                "duration_s": lengths_s,
                "memory_gb": memory_gb,
            },
            schema=PHASES,
        ),
        "profiles": pl.DataFrame(schema=PROFILES),
        "given": pl.DataFrame(schema=PROFILES),
    }


def _reads_profiles(scheduler: str, backfilling: str) -> bool:
    """Whether a replay depends on what is known of the jobs' memory."""
    if scheduler == BASELINE:
        return False
    return backfilling == "memory_aware_easy" or getattr(SCHEDULERS[scheduler], "PROFILE", False)


def _rows(sweep: Sweep, workload: dict, mean_gb: float | None) -> Iterator[dict]:
    """Scenarios of a sweep on one workload; `mean_gb` is what memory_over_mean is a multiple of."""
    if workload["trace"] is None:
        memory = sweep.memory_per_node_gb
    else:
        memory = [round(m * mean_gb, 6) for m in sweep.memory_over_mean]
    tau_s = sweep.tau_s
    if workload["kind"] == "dynamic":
        tau_s = [workload["tau_s"]]
    names = sorted(SCHEDULERS) if sweep.schedulers is None else sweep.schedulers
    require_known(pl.Series(names), SCHEDULERS, "scheduler")
    combinations = itertools.product(
        names, memory, sweep.alpha, tau_s, sweep.reconfiguration, sweep.backfilling, sweep.free_start,
        sweep.largest_by, sweep.knowledge or [workload["knowledge"]],
    )  # fmt: skip
    for scheduler, per_node, alpha, tau, reconfiguration, backfilling, free_start, largest_by, known in combinations:
        row = {
            "scheduler": scheduler,
            "seed": workload["batch"],
            "workload_id": workload["workload_id"],
            "nodes": workload["nodes"],
            "memory_per_node_gb": None if scheduler == BASELINE else float(per_node),
            "memory_gb": None
            if scheduler == BASELINE
            else float(per_node) * workload["nodes"] / workload["cores_per_node"],
            "alpha": alpha,
            "tau_s": tau,
            "reconfiguration": reconfiguration,
            "backfilling": backfilling,
            "free_start": free_start,
            "largest_by": largest_by,
            "knowledge": known if _reads_profiles(scheduler, backfilling) else None,
            "spans": workload["spans"],
            "timeline": False,
        }
        queue = sweep.queue.model_dump() if backfilling == "reserve" else {name: DEFAULTS[name] for name in QUEUE}
        unusual = [f"{name} {value}" for name, value in queue.items() if value != DEFAULTS[name]]
        row |= queue | {"dialect": ", ".join(unusual)}
        if scheduler == BASELINE:
            row |= {name: DEFAULTS[name] for name in ("tau_s", "reconfiguration", "free_start", "largest_by")}
        size = "" if row["memory_gb"] is None else f"/m{per_node:.12g}"
        options = "".join(
            f"-{row[name]}" if isinstance(row[name], str) else f"-{name}"
            for name in ("reconfiguration", "backfilling", "free_start", "largest_by", "knowledge")
            if row[name] is not None and row[name] != DEFAULTS[name]
        ) + "".join("-" + each.replace(" ", "_") for each in unusual)
        yield {
            "scenario_id": f"hpc_memory/{row['workload_id']}/{scheduler}{size}"
            f"/a{alpha:.12g}-t{row['tau_s']:.12g}{options}"
        } | row
