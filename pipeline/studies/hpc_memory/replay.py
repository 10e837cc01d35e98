"""Run a batch of scenarios."""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline.runtime import threads
from pipeline.simulation.table import checked, comparable, metrics_of, require_finite, require_known
from pipeline.studies.hpc_memory import STUDY, admission, arrays, batch_system, filling, model
from pipeline.studies.hpc_memory.bins import width_of
from pipeline.studies.hpc_memory.knowledge import knowing
from pipeline.studies.hpc_memory.orders import rule_of
from pipeline.studies.hpc_memory.rules import Machine, Room, State, Workload, asked_of, by_phase, grant
from pipeline.studies.hpc_memory.schedulers import SCHEDULERS

DEFAULTS = STUDY.defaults
"""Columns of the scenario table that may be left out, with what they are then."""

WARM_UP = 0.1
"""Share of the time from the first to the last release that the steady measures and the spans leave out."""
SHORTEST_RUN_S = 10.0
"""Shortest run time that a slowdown is relative to (bounded slowdown, Feitelson et al. 1997)."""
SPANS = ("jobs", "node_s", "useful_node_s", "response_s", "wait_s", "slowdown")
TIMELINE = ("time_s", "need_gb", "target_gb", "usable_gb", "speed")


def replay(inputs: dict[str, pl.DataFrame], scenarios: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Replay scenarios on the jobs of their workloads.

    inputs: `jobs` (workload_id, job_id, submit_s, nodes, [walltime_s], [priority], [position]), `phases` (workload_id,
    job_id, phase, duration_s, memory_gb per node), [`profiles` (workload_id, job_id, memory_gb, probability): what is
    true of a job, else its own phases], [`given`, the same columns: what its drop says of it, for `knowledge`]. Of the
    log in which the jobs ran, `jobs` may have user, name, log_start_s, log_end_s and requested_memory_gb (per node),
    which a profile from history is made of.
    scenarios: scenario_id, scheduler, workload_id, nodes, memory_gb (of the machine; null only where the scheduler
    has memory without bound), and the columns of DEFAULTS.

    Returns `outcomes` (scenario_id, job_id, start_s, end_s, rejected), `metrics` (scenario_id, metric, value), where a
    scenario has `spans`, `spans` (scenario_id, span and the columns of SPANS) and, where one has `timeline`, `timeline`
    (scenario_id, job_id, phase, time_s, need_gb, target_gb, usable_gb, speed).

    The steady measures leave out the first WARM_UP of the time of releases: useful work and jobs released in it are not
    counted; all other jobs are, to their end. `spans` cuts the rest into so many parts of equal length: machine and
    useful node-seconds in each, and the jobs released in it with the sums of their responses, waits and bounded
    slowdowns.
    Rows are sorted by scenario, then by submission. A job larger than the machine is rejected: start and end are null,
    `rejected` says why, and no measure counts it but `rejected_jobs`.

    Raises ValueError naming an unknown scheduler, workload or option, a missing column or a value out of range.
    """
    scenarios = _checked(scenarios)
    workloads = arrays.prepared(inputs, scenarios["workload_id"])

    rows = scenarios.iter_rows(named=True)
    results = threads.each(lambda row: _run(row, workloads.get(row["_workload"])), rows)
    spans, timeline = any(scenarios["spans"]), any(scenarios["timeline"])
    return _tables(scenarios["scenario_id"], results, inputs["jobs"]["job_id"].dtype, spans, timeline)


def targets(
    scheduler: str,
    jobs: pl.DataFrame,
    phases: pl.DataFrame,
    profiles: pl.DataFrame | None,
    memory_gb: float,
    nodes: int | None = None,
    *,
    largest_by: str = "memory",
    tau_s: float = 0.0,
) -> pl.DataFrame:
    """Who gets how much of `memory_gb` while all the jobs run, each in its first phase (job_id, target_gb).

    Nobody holds any before; `tau_s` matters to schedulers that count what a reconfiguration costs.

    jobs, phases, profiles as in `replay`, of one workload (workload_id may be left out). `nodes` of the machine matter
    to schedulers that grant a share; default: as many as the jobs take.
    """
    inputs = {"jobs": jobs, "phases": phases} | ({} if profiles is None else {"profiles": profiles})
    frames = {
        name: frame if "workload_id" in frame.columns else frame.with_columns(workload_id=pl.lit(""))
        for name, frame in inputs.items()
    }
    require_known(pl.Series([scheduler]), SCHEDULERS, "scheduler")
    (workload,) = arrays.prepared(frames).values()
    module = SCHEDULERS[scheduler]
    count = len(workload.nodes)
    machine = Machine(
        int(nodes or workload.nodes.sum()), memory_gb, 1.0, tau_s, model.SERIAL, admission.RULES["easy"], False, 0
    )
    ordered = workload.ordered(module, {"largest_by": largest_by})
    first, slots = ordered.first_phase[:-1].copy(), np.arange(count)
    running = slots
    if module.rule.of is by_phase:
        running = slots[np.argsort(ordered.place[first], kind="stable")]
    zeros, target = np.zeros(count), np.zeros(count)
    room = Room(np.zeros(16), np.zeros((count, 8)), np.zeros((count, 8)), np.zeros((2, count), np.int64))
    state = State(
        0.0, -1, memory_gb, 0, running, slots[:0], slots, first, zeros, ordered.phase_s[first], zeros + 1,
        ordered.need_gb[first], zeros, zeros,
    )  # fmt: skip
    rule = module.rule if module.rule.of is grant else filling.needs if running is not slots else filling.levels
    # A rule that is asked at starts alone is asked so.
    when = asked_of(module.rule)
    for starting in slots if when.first and not when.starts else (-1,):
        rule(state._replace(starting=int(starting)), ordered, machine, room, target)
    return pl.DataFrame({"job_id": workload.job_id, "target_gb": target})


def _checked(scenarios: pl.DataFrame) -> pl.DataFrame:
    """Scenarios with defaults, in the order of their ids; every option known."""
    given = scenarios.columns
    scenarios = checked(scenarios, STUDY, SCHEDULERS, "workload_id")
    unbounded = [name for name, scheduler in SCHEDULERS.items() if asked_of(scheduler.rule).unbounded]
    limited = [name for name in SCHEDULERS if name not in unbounded]
    if "memory_gb" not in given and scenarios["scheduler"].is_in(limited).any():
        raise ValueError(f"scenarios: missing column memory_gb, which all but {', '.join(unbounded)} need")
    require_finite(scenarios, "memory_gb", "scenarios", {"min": 0}, where=scenarios["scheduler"].is_in(limited))
    for word in scenarios["knowledge"].unique(maintain_order=True):
        width_of(word)
    batch_system.check(scenarios)
    return scenarios.with_columns(_workload=comparable(scenarios["workload_id"]))


def _run(row: dict, jobs: arrays.Arrays | None) -> dict:
    """Outcome, measures and timeline of one scenario."""
    if jobs is None:
        nothing = np.empty(0)
        nulls = dict.fromkeys(STUDY.metrics) | {"reconfigurations": 0.0, "moved_gb": 0.0, "rejected_jobs": 0.0}
        none = np.empty((0, len(SPANS)))
        return {"jobs": None, "start": nothing, "end": nothing, "measures": nulls, "spans": none,
                "timeline": np.empty((0, 7))}  # fmt: skip
    scheduler = SCHEDULERS[row["scheduler"]]
    unbounded = asked_of(scheduler.rule).unbounded
    known = jobs if unbounded else knowing(jobs, row["knowledge"], row["memory_gb"] / row["nodes"])
    fitting = known.fitting(int(row["nodes"]))
    workload = fitting.ordered(scheduler, {"largest_by": row["largest_by"]})
    machine = Machine(
        int(row["nodes"]),
        float("inf") if unbounded else float(row["memory_gb"]),
        row["alpha"],
        row["tau_s"],
        model.RECONFIGURATIONS[row["reconfiguration"]],
        admission.RULES[row["backfilling"]],
        row["free_start"],
        row["seed"],
    )
    last_s = workload.release_s[-1] if len(fitting.nodes) else 0.0
    # Without spans the steady measures still need the two edges of one.
    edges_s = np.linspace(WARM_UP * last_s, last_s, max(row["spans"], 1) + 1) if last_s else np.empty(0)
    start, end, done, timeline, result = _played(row, fitting, workload, machine, edges_s)
    spans = _spans(machine.nodes, workload.release_s, start, end, fitting.optimal_s, edges_s, done)
    measures = _measures(fitting, workload.release_s, machine.nodes, start, end, result)
    measures |= {"rejected_jobs": float(len(jobs.nodes) - len(fitting.nodes))} | _steady(spans)
    origin = fitting.submit_s[0] if len(fitting.nodes) else 0.0
    # A job that starts as it is submitted does so at the very number that was given; an instant may be a hair earlier.
    start = np.where(start <= workload.release_s, fitting.submit_s, start + origin)
    end = end + origin
    timeline[:, 0] += origin
    if fitting is not known:
        fits = jobs.nodes <= machine.nodes
        start_all, end_all = np.full(len(fits), np.nan), np.full(len(fits), np.nan)
        start_all[fits], end_all[fits] = start, end
        start, end = start_all, end_all
    return {
        "jobs": jobs,
        "start": start,
        "end": end,
        "measures": measures,
        "spans": spans if row["spans"] else spans[:0],
        "timeline": timeline,
        "timeline_jobs": fitting.job_id,
    }


def _played(
    row: dict, fitting: arrays.Arrays, workload: Workload, machine: Machine, edges_s: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, model.Result]:
    """Starts and ends of the jobs, work done until each edge, the timeline and the end of the engine's run.

    Times count from the first release. Raises ValueError where the rule chooses what cannot be.
    """
    dialect, key = batch_system.dialect(row), rule_of(row["queue_order"]).compiled()
    rule = SCHEDULERS[row["scheduler"]].rule
    occasions, compiled = model.Occasions.of(rule), model.compiled(rule)
    start, end = np.empty(len(fitting.nodes)), np.empty(len(fitting.nodes))
    done = np.zeros(len(edges_s))
    timeline = np.empty((16 * len(fitting.phase_s) if row["timeline"] else 0, len(TIMELINE) + 2))
    room_in_flight = 8
    while True:
        result = model.run(
            workload, machine, dialect, key, compiled, occasions, start, end, edges_s, done, timeline, room_in_flight
        )
        if result.end == model.WRONG_TARGET:
            raise ValueError(_wrong_target(row, fitting.job_id, result))
        if result.end == model.FLIGHTS_EXCEEDED:
            room_in_flight *= 4
        elif result.rows > len(timeline):
            timeline = np.empty((result.rows, timeline.shape[1]))
        else:
            return start, end, done, timeline[: result.rows], result


def _measures(
    fitting: arrays.Arrays, release: np.ndarray, nodes: int, start: np.ndarray, end: np.ndarray, result: model.Result
) -> dict[str, float | None]:
    """Measures of the whole replay; null where there is no job, or where all are released at once."""
    count = len(fitting.nodes)
    node_seconds = nodes * release[-1] if count else 0.0
    busy = float(np.sum(fitting.nodes * np.clip(np.minimum(end, release[-1]) - start, 0, None))) if count else 0.0
    return {
        "utilisation": result.useful_node_s / node_seconds if node_seconds else None,
        "busy_utilisation": busy / node_seconds if node_seconds else None,
        "mean_response_s": float(np.mean(end - release)) if count else None,
        # An instant may be a hair earlier than a release that belongs to it.
        "mean_wait_s": float(np.mean(np.maximum(start - release, 0))) if count else None,
        "makespan_s": float(end.max()) if count else None,
        "reconfigurations": float(result.reconfigurations),
        "moved_gb": result.moved_gb,
    }


def _wrong_target(row: dict, job_id: pl.Series, result: model.Result) -> str:
    """What the rule of a scenario chose, and what it could have."""
    whom = "all running jobs together" if result.wrong_job == model.ALL else f"job {job_id[result.wrong_job]!r}"
    return (
        f"scheduler {row['scheduler']!r}, scenario {row['scenario_id']!r}: {result.wrong_s:g} s after the first "
        f"release the rule gives {whom} {result.wrong_gb:g} GB; 0 to {result.possible_gb:g} GB would be possible"
    )


def _spans(nodes, release, start, end, optimal_s, edges_s, done) -> np.ndarray:
    """The columns of SPANS for each part between two of the edges (times from the first release)."""
    count = max(len(edges_s) - 1, 0)
    spans = np.zeros((count, len(SPANS)))
    if not count:
        return spans
    first = int(np.searchsorted(release, edges_s[0]))
    # The last release lies on the last edge and belongs to the last span.
    span = np.minimum(np.searchsorted(edges_s, release[first:], side="right") - 1, count - 1)
    response = end[first:] - release[first:]
    wait = np.maximum(start[first:] - release[first:], 0)
    slowdown = np.maximum(response / np.maximum(optimal_s[first:], SHORTEST_RUN_S), 1)
    spans[:, 0] = np.bincount(span, minlength=count)
    spans[:, 1] = nodes * np.diff(edges_s)
    spans[:, 2] = np.diff(done)
    for column, values in zip((3, 4, 5), (response, wait, slowdown), strict=True):
        spans[:, column] = np.bincount(span, values, minlength=count)
    return spans


def _steady(spans: np.ndarray) -> dict[str, float | None]:
    """The steady measures, from the sums of all spans."""
    jobs, node_s, *sums = np.sum(spans, axis=0)
    return {
        "steady_utilisation": sums[0] / node_s if node_s else None,
        "steady_response_s": sums[1] / jobs if jobs else None,
        "steady_wait_s": sums[2] / jobs if jobs else None,
        "steady_slowdown": sums[3] / jobs if jobs else None,
    }


def _tables(scenario_id: pl.Series, results: list[dict], job_dtype: pl.DataType, spans: bool, timeline: bool) -> dict:
    """Result tables of all scenarios."""
    ran = [r for r in results if r["jobs"] is not None]
    start, end = (
        pl.Series(np.concatenate([r[side] for r in results]) if results else np.empty(0)).fill_nan(None)
        for side in ("start", "end")
    )
    lengths = np.array([len(r["start"]) for r in results], dtype=np.int64)
    scenario_of_row = pl.Series(np.repeat(np.arange(len(results)), lengths), dtype=pl.UInt32)
    outcomes = pl.DataFrame(
        {
            "scenario_id": scenario_id.gather(scenario_of_row),
            "job_id": pl.concat([r["jobs"].job_id for r in ran]) if ran else pl.Series([], dtype=job_dtype),
            "start_s": start,
            "end_s": end,
        }
    ).with_columns(rejected=pl.when(pl.col("start_s").is_null()).then(pl.lit("larger_than_machine")))
    values = np.array([[r["measures"][name] for name in STUDY.metrics] for r in results], dtype=np.float64)
    metrics = metrics_of(scenario_id, STUDY.metrics, values)
    tables = {"outcomes": outcomes, "metrics": metrics}
    if spans:
        parts = np.array([len(r["spans"]) for r in results], dtype=np.int64)
        values = np.concatenate([r["spans"] for r in results])
        tables["spans"] = pl.DataFrame(
            {
                "scenario_id": scenario_id.gather(np.repeat(np.arange(len(results)), parts)),
                "span": np.concatenate([np.arange(n) for n in parts]),
                **{name: values[:, i] for i, name in enumerate(SPANS)},
            },
            schema_overrides={"jobs": pl.Int64},
        )
    if timeline:
        frames = []
        for sid, r in zip(scenario_id, results, strict=True):
            rows = r["timeline"]
            if not len(rows):
                continue
            frames.append(
                pl.DataFrame(
                    {
                        "scenario_id": pl.Series([sid], dtype=scenario_id.dtype).gather(np.zeros(len(rows), np.int64)),
                        "job_id": r["timeline_jobs"].gather(rows[:, 1].astype(np.int64)),
                        "phase": rows[:, 2].astype(np.int64),
                        **{name: rows[:, i] for name, i in zip(TIMELINE, (0, 3, 4, 5, 6), strict=True)},
                    }
                )
            )
        tables["timeline"] = pl.concat(frames) if frames else _empty_timeline(scenario_id.dtype, job_dtype)
    return tables


def _empty_timeline(scenario_dtype: pl.DataType, job_dtype: pl.DataType) -> pl.DataFrame:
    columns = {"scenario_id": scenario_dtype, "job_id": job_dtype, "phase": pl.Int64}
    return pl.DataFrame(schema=columns | dict.fromkeys(TIMELINE, pl.Float64))
