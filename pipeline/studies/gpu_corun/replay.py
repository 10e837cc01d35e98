"""Run a batch of scenarios."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import numpy as np
import polars as pl
from numba import njit

from pipeline.gpus.intensity import SYMMETRIES, Thresholds, policy
from pipeline.simulation.table import checked, checked_inputs, chosen, codes, metrics_of
from pipeline.studies.gpu_corun import STUDY, arrays
from pipeline.studies.gpu_corun.inputs import INPUTS
from pipeline.studies.gpu_corun.model import engine
from pipeline.studies.gpu_corun.model.contention import Applications, Machine
from pipeline.studies.gpu_corun.model.engine import Log, Problem, Results
from pipeline.studies.gpu_corun.model.search import play_best
from pipeline.studies.gpu_corun.rules import SPLITS, Scenario
from pipeline.studies.gpu_corun.schedulers import SCHEDULERS

DEFAULTS = STUDY.defaults
"""Columns of the scenario table that may be left out, with what they are then."""


def replay(inputs: dict[str, pl.DataFrame], scenarios: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Replay scenarios on the queues of their workloads.

    inputs: `queue` (workload_id, position, kernel, [arrival_s 0]) and `kernels` ([model_id], kernel, gflops,
    memory_gbps, [loop_s, setup_s, dram_gbps, saturation, slate_speed, pull_cost, imbalance]); kernels without model_id
    hold for all.
    scenarios: scenario_id, scheduler, workload_id, and the columns of DEFAULTS (docs/models/gpu_corun.md).

    Returns `outcomes` (scenario_id, position, kernel, start_s, kernel_end_s, end_s, mode), `metrics` (scenario_id,
    metric, value) and `timeline` (scenario_id, position, kernel, start_s, end_s, sms, speed; of scenarios with
    `timeline`). Rows are sorted by scenario, then position. Metrics: makespan_s and kernel_makespan_s, which the paper
    calls ANTT for pairs; antt and stp are the standard ones, against the application alone under CUDA.

    Raises ValueError naming an unknown scheduler, workload, kernel, model or option, a missing table or column, or a
    value out of range.
    """
    inputs = checked_inputs(inputs, INPUTS)
    queue = arrays.prepare_queue(inputs["queue"])
    scenarios = _checked(scenarios)
    models = arrays.model_ids(inputs["kernels"])
    kernels = arrays.prepare_kernels(inputs["kernels"], models, queue.kernels)
    workload = codes(scenarios["workload_id"], queue.workload, "workload")
    _require_short(scenarios, queue, workload)
    rows = arrays.rows(
        queue, kernels, chosen(scenarios, "model_id", models), models, workload, _parameters(scenarios),
        overhead=_overhead(scenarios), saved=_overhead(scenarios, "injection") * scenarios["cached"].to_numpy(),
        transformed=_by_scheduler(scenarios, lambda scheduler: scheduler.TRANSFORMED) == 1,
    )  # fmt: skip
    results, added_s, log = _run(scenarios, queue, rows)
    return _tables(scenarios, queue, rows, workload, results, added_s, log)


def _checked(scenarios: pl.DataFrame) -> pl.DataFrame:
    """Scenarios with defaults, in the order of their ids; thresholds of the intensities rise."""
    scenarios = checked(scenarios, STUDY, SCHEDULERS, "workload_id")
    for kind in ("gflops", "memory_gbps"):
        medium, high = f"medium_{kind}", f"high_{kind}"
        sentence = f"{medium} is {{}} and {high} {{}}; they must rise"
        _refuse(scenarios, pl.col(medium) > pl.col(high), sentence, medium, high)
    return scenarios


def _refuse(scenarios: pl.DataFrame, bad: pl.Expr, sentence: str, *columns: str) -> None:
    """Raise ValueError with the sentence about the first row for which `bad` holds."""
    bad_rows = scenarios.with_row_index("_row", 1).filter(bad)
    if len(bad_rows):
        said = sentence.format(*(bad_rows[c][0] for c in columns))
        raise ValueError(f"scenarios: {said} (row {bad_rows['_row'][0]})")


def _require_short(scenarios: pl.DataFrame, queue: arrays.Queue, workload: np.ndarray) -> None:
    """Raise ValueError naming the first workload that has more applications than its scheduler takes."""
    most = _by_scheduler(scenarios, lambda scheduler: scheduler.MOST_APPLICATIONS or np.iinfo(np.int64).max)
    count = np.diff(queue.first_application)[workload]
    for at in np.flatnonzero(count > most)[:1]:
        raise ValueError(
            f"{scenarios['scheduler'][int(at)]} takes at most {most[at]} applications; workload "
            f"{scenarios['workload_id'][int(at)]!r} has {count[at]}"
        )


def _by_scheduler(scenarios: pl.DataFrame, value: Callable[[ModuleType], int]) -> np.ndarray:
    """A number that each scenario's scheduler module has, as int64."""
    known = {name: int(value(scheduler)) for name, scheduler in SCHEDULERS.items()}
    return scenarios["scheduler"].cast(pl.String).replace_strict(known, return_dtype=pl.Int64).to_numpy()


def _overhead(scenarios: pl.DataFrame, *only: str) -> np.ndarray:
    """Share of the application that each scenario's scheduler adds to it outside the kernel; only: of these columns."""
    columns = only or sorted({name for scheduler in SCHEDULERS.values() for name in scheduler.OVERHEAD})
    named = pl.col("scheduler").cast(pl.String)
    terms = []
    for column in columns:
        who = [name for name, scheduler in SCHEDULERS.items() if column in scheduler.OVERHEAD]
        terms.append(pl.when(named.is_in(who)).then(pl.col(column)).otherwise(0.0))
    return scenarios.select(pl.sum_horizontal(terms).alias("share"))["share"].to_numpy()


def _parameters(scenarios: pl.DataFrame) -> dict[str, np.ndarray]:
    """Columns of the scenarios that its applications' rows are made with."""
    return {
        name: scenarios[name].cast(pl.Float64).to_numpy()
        for name in ("bandwidth_gbps", "task_size", *Thresholds._fields)
    }


def _run(
    scenarios: pl.DataFrame, queue: arrays.Queue, rows: arrays.Rows, intervals: int | None = None
) -> tuple[Results, np.ndarray, Log]:
    """Starts, ends and modes of all rows, the overheads (s) after their kernels, and the intervals of the timelines.

    intervals: room for these; None = as many as there are where rules are asked at arrivals and ends alone.
    """
    count = len(rows.scenario)
    results = Results(np.full(count, np.nan), np.full(count, np.nan), np.zeros(count, bool))
    added_s = rows.overhead_s.copy()
    timeline = scenarios["timeline"].to_numpy()
    # An application's interval ends where any starts, ends, arrives or resumes: four instants each.
    size = np.diff(rows.first)[timeline]
    log = engine.log_of(int((4 * size * size + size).sum()) if intervals is None else intervals)
    machines = Machine(*(scenarios[name].to_numpy().copy() for name in Machine._fields))
    number = {name: k for k, name in enumerate(SYMMETRIES)}
    given = Scenario(
        scenarios["seed"].to_numpy(),
        scenarios["split"].cast(pl.String).replace_strict(SPLITS, return_dtype=pl.Int64).to_numpy(),
        scenarios["task_size"].to_numpy(),
        scenarios["symmetry"].cast(pl.String).replace_strict(number, return_dtype=pl.Int64).to_numpy(),
    )
    tables = np.stack([policy(name) for name in SYMMETRIES]).astype(np.int64)
    by_name = scenarios["scheduler"].cast(pl.String).to_numpy()
    for name in np.unique(by_name):
        scheduler = SCHEDULERS[name]
        search = hasattr(scheduler, "together")
        rules = (scheduler.rule, scheduler.together if search else scheduler.rule)
        on = machines if search or not scheduler.TRANSFORMED else machines._replace(overlap=np.zeros(len(scenarios)))
        problem = engine.no_problem()
        _play_all(
            *(rule.compiled() for rule in rules), search, np.flatnonzero(by_name == name), on, given, tables, timeline,
            rows.first, rows.apps, rows.slate_speed, rows.overhead_s, results, added_s, log, problem,
        )  # fmt: skip
        if problem.facts[0]:
            raise ValueError(_complaint(scenarios, queue, rows, problem))
    if log.size[0] <= len(log.start_s):
        return results, added_s, log
    return _run(scenarios, queue, rows, int(log.size[0]))


@njit(cache=True)
def _play_all(rule, other, search, chosen, machines, given, tables, timeline, first, apps, slate_speed, overhead_s,
              results, added_s, log, problem):  # fmt: skip
    """Replay the chosen scenarios, up to one with a problem; machines, given, timeline and first: one per scenario.

    rule: the scheduler's; other: where `search`, its rule `together`; given: as schedulers are, but
    with the number of one of the tables.
    """
    most = np.int64(1)
    for s in chosen:
        most = max(most, first[s + 1] - first[s])
    room, nothing = engine.room_for(most), engine.log_of(0)
    for s in chosen:
        machine = Machine(
            machines.sms[s], machines.bandwidth_gbps[s], machines.knee[s], machines.latency[s],
            machines.switching_loss[s], machines.overlap[s], machines.resize_s[s],
        )  # fmt: skip
        scenario = Scenario(given.seed[s], given.split[s], given.task_size[s], tables[given.table_1[s]])
        row, past = first[s], first[s + 1]
        own = Applications(
            apps.ready_s[row:past], apps.loop_s[row:past], apps.dram_gbps[row:past], apps.saturation[row:past],
            apps.speed[row:past], apps.kind[row:past], apps.computing[row:past],
        )  # fmt: skip
        ends = Results(results.start_s[row:past], results.stop_s[row:past], results.corun[row:past])
        own_log = log if timeline[s] else nothing
        if search:
            play_best(
                rule, other, machine, scenario, own, slate_speed[row:past], overhead_s[row:past], room, ends,
                added_s[row:past], nothing, own_log, row, problem,
            )  # fmt: skip
        else:
            engine.queue_order(own, room)
            engine.play(rule, machine, scenario, own, room, ends, own_log, row, problem)
        if problem.facts[0]:
            problem.facts[1] = s
            return


def _complaint(scenarios: pl.DataFrame, queue: arrays.Queue, rows: arrays.Rows, problem: Problem) -> str:
    """The sentence about a choice that is impossible: who chose what, when, and what would have been possible."""
    kind, scenario, application, chosen, waiting, running = problem.facts.tolist()
    first, past = rows.first[scenario], rows.first[scenario + 1]
    sms = scenarios["sms"][scenario]
    who = f"application {application}"
    if 0 <= application < past - first:
        row = int(rows.application[first + application])
        who += f" (position {queue.position[row]!r}, kernel {queue.kernel[row]!r})"
    there = f"{waiting} wait and {running} run, of {past - first}"
    sentence = {
        engine.NOT_THERE: f"names {who}, which is not there; {there}",
        engine.TWICE: f"names {who} twice; once would be right",
        engine.NO_SUCH_SMS: f"gives {who} {chosen} SMs; 0 to {sms}, or IN_TURNS, would be right",
        engine.TOO_MANY_SMS: f"gives {chosen} SMs to all that run; there are {sms}",
        engine.MIXED: f"has {chosen} run in turns beside others with SMs of their own; all or none would be right",
        engine.TOO_SOON: f"needs to be asked again at {problem.at_s[1]} s; later than now would be right",
        engine.STALLED: f"has nobody run and nobody is to come; {there}",
        engine.NO_PROGRESS: f"was asked again {engine.PATIENCE} times while nobody made progress; {there}",
    }[kind]
    return (
        f"{scenarios['scheduler'][scenario]}, scenario {scenarios['scenario_id'][scenario]!r}: "
        f"{problem.at_s[0]} s after the first arrival the rule {sentence}"
    )


def _tables(scenarios, queue, rows, workload, results, added_s, log) -> dict[str, pl.DataFrame]:
    """Result tables of all scenarios."""
    origin = queue.origin_s[workload[rows.scenario]]
    end_s = results.stop_s + added_s
    ids = scenarios["scenario_id"]
    outcomes = pl.DataFrame(
        {
            "scenario_id": ids.gather(rows.scenario),
            "position": queue.position.gather(rows.application),
            "kernel": queue.kernel.gather(rows.application),
            "start_s": results.start_s + origin,
            "kernel_end_s": results.stop_s + origin,
            "end_s": end_s + origin,
            "mode": pl.Series(np.where(results.corun, "corun", "solo"), dtype=pl.String),
        }
    )
    values = _measures(rows, results.stop_s, end_s)
    metrics = metrics_of(ids, STUDY.metrics, values)
    n = int(log.size[0])
    row = log.application[:n]
    order = np.lexsort((log.start_s[:n], row))
    row = row[order]
    timeline = pl.DataFrame(
        {
            "scenario_id": ids.gather(rows.scenario[row]),
            "position": queue.position.gather(rows.application[row]),
            "kernel": queue.kernel.gather(rows.application[row]),
            "start_s": log.start_s[:n][order] + origin[row],
            "end_s": log.end_s[:n][order] + origin[row],
            "sms": log.sms[:n][order],
            "speed": log.speed[:n][order],
        }
    )
    return {"outcomes": outcomes, "metrics": metrics, "timeline": timeline}


def _measures(rows: arrays.Rows, stop_s: np.ndarray, end_s: np.ndarray) -> np.ndarray:
    """Metrics of each scenario, one row each, in the order of STUDY."""
    if not len(rows.scenario):
        return np.empty((len(rows.first) - 1, len(STUDY.metrics)))
    begin = rows.first[:-1]
    shared_s = end_s - rows.arrival_s
    alone_s = rows.setup_s + rows.apps.loop_s
    count = np.diff(rows.first)
    kernel_s = np.maximum.reduceat(stop_s, begin) - np.minimum.reduceat(rows.apps.ready_s, begin)
    return np.column_stack(
        [
            np.maximum.reduceat(end_s, begin),
            kernel_s,
            np.add.reduceat(shared_s / alone_s, begin) / count,
            np.add.reduceat(alone_s / shared_s, begin),
        ]
    )
