"""Run a batch of scenarios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from pipeline.runtime.wording import did_you_mean
from pipeline.simulation.table import checked, checked_inputs, chosen, codes, metrics_of
from pipeline.studies.pim_ranks import STUDY, arrays, model, rules, stages
from pipeline.studies.pim_ranks.inputs import PREDICTED, QUEUE, TABLES
from pipeline.studies.pim_ranks.schedulers import PROFILED, SCHEDULERS

DEFAULTS = STUDY.defaults
"""Columns of the scenario table that may be left out, with what they are then."""

TOO_LARGE, NO_PROOF = "larger_than_machine", "no_optimum_proven"
"""Why jobs are not run: they ask for more ranks than there are, or the search for the best schedule proves none."""


class _Batch(NamedTuple):
    """Scenarios, sorted by id, as a frame and as the kernels take them, their jobs, and room for their results.

    names: of the schedulers that occur; scheduler: the place there of each scenario's.
    """

    frame: pl.DataFrame
    names: list[str]
    scheduler: np.ndarray
    queue: arrays.Queue
    scenarios: model.Scenarios
    results: model.Results

    def of(self, *signatures: rules.Signature) -> np.ndarray:
        """Numbers of the scenarios whose scheduler's rule has one of these signatures."""
        places = [place for place, name in enumerate(self.names) if SCHEDULERS[name].rule.of in signatures]
        return np.flatnonzero(np.isin(self.scheduler, places))

    def jobs_of(self, s: int) -> slice:
        """Places of a scenario's jobs in the queue."""
        first_job, workload = self.queue.jobs.first_job, self.scenarios.workload[s]
        return slice(first_job[workload], first_job[workload + 1])

    def rows_of(self, s: int) -> slice:
        """Places of a scenario's jobs in the results."""
        return slice(self.scenarios.first_out[s], self.scenarios.first_out[s + 1])

    def name(self, s: int) -> str:
        """Name of a scenario's scheduler."""
        return self.names[self.scheduler[s]]

    def refusal(self, s: int, sentence: str) -> ValueError:
        """What a scheduler's rule did in a scenario that cannot be done."""
        return ValueError(f"scheduler {self.name(s)}, scenario {self.frame['scenario_id'][int(s)]!r}: {sentence}")


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

    Raises ValueError naming an unknown scheduler, workload, table, application or option, a missing table or column, a
    value out of range, or what a scheduler's rule chose that cannot be done.
    """
    queue = arrays.prepare_queue(checked_inputs(inputs, QUEUE)["queue"])
    frame = _checked(scenarios)
    tables = sorted(_require_tables(inputs, frame) | ({PREDICTED} & inputs.keys()))
    inputs = checked_inputs(inputs, {name: TABLES[name] for name in tables})
    ids = arrays.table_ids(inputs, tables)
    batch = _batch(frame, queue, ids)
    if len(batch.of(rules.start, rules.plan)):
        _replay_on_tables(inputs, ids, batch)
    if len(batch.of(rules.program)):
        _replay_programs(inputs, ids, batch)
    return _tables(batch)


def _checked(scenarios: pl.DataFrame) -> pl.DataFrame:
    """Scenarios with defaults, in the order of their ids; every option known."""
    scenarios = checked(scenarios, STUDY, SCHEDULERS, "workload_id")
    own = {name: float(scheduler.OVERHEAD) for name, scheduler in SCHEDULERS.items()}
    return scenarios.with_columns(
        pl.coalesce(
            pl.col("overhead").cast(pl.Float64),
            pl.col("scheduler").cast(pl.String).replace_strict(own, return_dtype=pl.Float64),
        ).alias("overhead"),
    )


def _require_tables(inputs: Mapping[str, pl.DataFrame], frame: pl.DataFrame) -> set[str]:
    """Tables that the schedulers need beside the queue; raises ValueError for one that is not there."""
    needs: dict[str, list[str]] = {}
    for name in frame["scheduler"].cast(pl.String).unique().sort():
        by_programs = SCHEDULERS[name].rule.of is rules.program
        for table in ("stages", "requests") if by_programs else ("perf_tables", "best_ranks"):
            needs.setdefault(table, []).append(name)
    for table, who in sorted(needs.items()):
        if table not in inputs:
            raise ValueError(
                f"inputs: missing table {table}, which {', '.join(who)} needs; found {', '.join(inputs)}"
                f"{did_you_mean(table, inputs)}"
            )
    return set(needs)


def _batch(frame: pl.DataFrame, queue: arrays.Queue, ids: pl.Series | None) -> _Batch:
    """The scenarios of a frame as arrays, and room for their results."""
    count = len(frame)
    workload = np.zeros(count, np.int64)
    if len(queue.workload):
        workload = codes(frame["workload_id"], queue.workload, "workload").copy()
    first_out = np.append(0, np.cumsum(np.diff(queue.jobs.first_job)[workload])).astype(np.int64)
    everything = np.iinfo(np.int64).max
    names = frame["scheduler"].cast(pl.String).unique().sort()
    scheduler = _integers(frame["scheduler"].cast(pl.String).cast(pl.Enum(names)).to_physical())
    needs_best = np.array(["best_ranks" in SCHEDULERS[name].NEEDS for name in names], bool)
    scenarios = model.Scenarios(
        _integers(frame["ranks"]), workload, chosen(frame, "table_id", ids), first_out, needs_best[scheduler],
        _integers(frame["seed"]), frame["overhead"].to_numpy(writable=True), _integers(frame["window"]),
        _integers(frame["ooo_window"].cast(pl.Int64).fill_null(everything)),
        (frame["perf_at"].cast(pl.String) == "available").to_numpy(writable=True),
    )  # fmt: skip
    rows = int(first_out[-1])
    results = model.Results(
        np.full(rows, np.nan), np.full(rows, np.nan), np.full(rows, np.nan), np.zeros(rows, np.int64),
        np.full((count, len(model.MEASURES)), np.nan), np.full(count, np.nan), np.full(count, np.nan),
    )  # fmt: skip
    return _Batch(frame, names.to_list(), scheduler, queue, scenarios, results)


def _integers(values: pl.Series) -> np.ndarray:
    return values.cast(pl.Int64).to_numpy(writable=True)


def _replay_on_tables(inputs: Mapping[str, pl.DataFrame], ids: pl.Series | None, batch: _Batch) -> None:
    """Schedulers that hold ranks from start to end: rules of `start`, and plans."""
    queue, scenarios, results = batch.queue, batch.scenarios, batch.results
    started, both = batch.of(rules.start), batch.of(rules.start, rules.plan)
    perf_tables, best = inputs["perf_tables"], inputs["best_ranks"]
    tables = arrays.prepare_tables(perf_tables, best, ids, queue.apps)
    arrays.require_complete(tables, perf_tables, "perf_tables", queue, scenarios, both, batch.name)
    seen = tables._replace(time_s=tables.time_s.copy())  # a rule that writes to its times changes no job's
    if PREDICTED in inputs:
        for name in PROFILED:
            if batch.frame[name].count():
                raise ValueError(f"scenarios: {name} makes predictions, and inputs has {PREDICTED}; one would be right")
        seen = arrays.prepare_tables(inputs[PREDICTED], best, ids, queue.apps, PREDICTED)
        arrays.require_complete(seen, inputs[PREDICTED], PREDICTED, queue, scenarios, started, batch.name)
    alike = ["scheduler", "ranks", "profiling_ratio", "threshold"]
    rows = batch.frame.with_row_index("_number")[started]
    for (name, ranks, ratio, threshold), group in rows.group_by(alike, maintain_order=True):
        known, numbers = (
            arrays.profiled(seen, int(ranks), ratio, threshold),
            group["_number"].to_numpy().astype(np.int64),
        )
        truth = tables._replace(best=known.best) if known is not seen else tables
        if ratio is not None:
            results.profiling_s[numbers] = arrays.profiling_s(tables, int(ranks), ratio, queue, scenarios, numbers)
        memory = model.memory_for(numbers, scenarios, queue.jobs)
        rule = SCHEDULERS[name].rule.compiled()
        wrong = model.run(rule, numbers, scenarios, queue.jobs, truth, known, results, *memory)
        if wrong[0] >= 0:
            raise _refused_choice(batch, *wrong)
    for s in batch.of(rules.plan):
        _follow_plan(batch, tables, s)
    of_both = np.repeat(np.isin(np.arange(len(batch.frame)), both), np.diff(scenarios.first_out))
    results.freed_s[of_both] = results.end_s[of_both]
    model.makespan_lower_bounds(both, scenarios, queue.jobs, tables, results)


def _refused_choice(batch: _Batch, s: int, what: int, now_s: float, job: int, ranks: int, free: int) -> ValueError:
    """What was chosen, and what would have been possible."""
    jobs = batch.jobs_of(s)
    job_id, release_s = batch.queue.job_id[jobs], batch.queue.jobs.release_s[jobs]
    has_come = release_s <= now_s * (1 + model.INSTANT)
    waiting = np.flatnonzero(has_come & np.isnan(batch.results.start_s[batch.rows_of(s)]))
    some = ", ".join(f"{j} (job_id {job_id[int(j)]!r})" for j in waiting[:5]) + (", …" if len(waiting) > 5 else "")
    if what == model.TOO_MANY:
        sentence = f"its rule returns {job} jobs to start; 0 to {free} can start on {free} free ranks"
    elif what == model.NOT_WAITING:
        sentence = f"its rule starts job {job}, which does not wait; waiting: {some or 'none'}"
    elif what == model.NOT_FREE:
        sentence = f"its rule starts job_id {job_id[job]!r} on {ranks} ranks; 1 to {free} are possible"
        if ranks < 1 and not batch.scenarios.use_best[s]:
            sentence += "; best_ranks is 0 for schedulers whose NEEDS does not have best_ranks"
    else:
        sentence = (
            "its rule starts no job although nothing runs and none will arrive; it may start one on 1 to "
            f"{free} ranks, waiting: {some}"
        )
    return batch.refusal(s, f"{now_s:.12g} s after the first arrival {sentence}")


def _follow_plan(batch: _Batch, tables: model.Tables, s: int) -> None:
    """A scenario by the plan of its scheduler; where there is none, its times and measures stay null."""
    jobs, out, R = batch.jobs_of(s), batch.rows_of(s), batch.scenarios.ranks[s]
    row = tables.row_of[batch.scenarios.table[s], batch.queue.jobs.app[jobs]]
    overhead = batch.scenarios.overhead[s]
    time_s, release_s = tables.time_s[row, :R] * (1 + overhead), batch.queue.jobs.release_s[jobs].copy()
    schedule = SCHEDULERS[batch.name(s)].rule(release_s.copy(), time_s.copy(), batch.frame["objective"][int(s)])
    if schedule is None:
        return
    start_s, ranks = np.asarray(schedule.start_s, np.float64), np.asarray(schedule.ranks, np.int64)
    job_id = batch.queue.job_id[jobs]
    for what, values in (("starts", start_s), ("rank counts", ranks)):
        if values.shape != release_s.shape:
            raise batch.refusal(
                s, f"its plan has {what} {values.shape}; one for each of {len(release_s)} jobs is right"
            )
    for j in range(len(release_s)):
        if not 1 <= ranks[j] <= R:
            raise batch.refusal(s, f"its plan has job_id {job_id[j]!r} on {ranks[j]} ranks; 1 to {R} are possible")
        if not release_s[j] * (1 - model.INSTANT) <= start_s[j] < np.inf:
            raise batch.refusal(
                s, f"its plan starts job_id {job_id[j]!r} at {start_s[j]:.12g} s; it arrives at {release_s[j]:.12g} s"
            )
    held_s = time_s[np.arange(len(ranks)), ranks - 1]
    end_s = start_s + held_s
    for j, at_s in enumerate(start_s):
        held = ranks[(start_s <= at_s) & (end_s > at_s * (1 + model.INSTANT))].sum()
        if held > R:
            raise batch.refusal(s, f"its plan holds {held} ranks when job_id {job_id[j]!r} starts; there are {R}")
    batch.results.start_s[out], batch.results.end_s[out], batch.results.ranks[out] = start_s, end_s, ranks
    model.measure(release_s, end_s, float(ranks @ held_s), overhead, R, batch.results.measures[s])


def _replay_programs(inputs: Mapping[str, pl.DataFrame], ids: pl.Series | None, batch: _Batch) -> None:
    """VirtualPIM: a set of programs for every table, scheduler, overhead and limit that occur."""
    queue, scenarios, numbers = batch.queue, batch.scenarios, batch.of(rules.program)
    applications = arrays.prepare_applications(inputs["stages"], inputs["requests"], ids, queue.apps)
    limit = batch.frame["coop_limit"].to_numpy()
    place: dict[tuple, int] = {}
    sets: list[dict[int, Sequence[rules.Segment]]] = []
    program_set = np.full(len(batch.frame), -1, np.int64)
    for s in numbers:
        key = (scenarios.table[s], batch.name(s), scenarios.overhead[s], limit[s])
        if key not in place:
            place[key] = len(sets)
            sets.append(
                {
                    app: _program(batch, s, queue.apps[app], application, float(limit[s]))
                    for (table, app), application in applications.items()
                    if table == scenarios.table[s]
                }
            )
        program_set[s] = place[key]
    programs = arrays.prepare_programs(sets, len(queue.apps))
    arrays.require_programs(programs, program_set, inputs, queue, scenarios, numbers)
    stages.run(numbers, scenarios, program_set, queue.jobs, programs, batch.results)


def _program(
    batch: _Batch, s: int, app: str | int, application: arrays.Application, coop_limit: float
) -> Sequence[rules.Segment]:
    """The program of an application by the scheduler of a scenario, checked."""
    overhead = float(batch.scenarios.overhead[s])
    segments = SCHEDULERS[batch.name(s)].rule(application.stages, application.ranks, overhead, coop_limit)
    on_ranks = (rules.GANG, rules.UNITS)
    for segment in segments:
        held = segment.kind in on_ranks
        good = (held or segment.kind == rules.HOST) and segment.ranks >= held
        if not good or not 0 <= segment.seconds < np.inf or not 0 <= segment.overhead < np.inf:
            raise batch.refusal(
                s,
                f"its program of app {app!r} has {segment}; HOST, or a GANG or UNITS of at least 1 rank, with "
                "finite seconds and overhead of at least 0 would be right",
            )
    if not any(segment.kind in on_ranks and segment.seconds > 0 for segment in segments):
        raise batch.refusal(
            s, f"its program of app {app!r} holds no ranks; a GANG or UNITS with seconds would be right"
        )
    return segments


def _tables(batch: _Batch) -> dict[str, pl.DataFrame]:
    """Result tables of all scenarios."""
    queue, results, first_out = batch.queue, batch.results, batch.scenarios.first_out
    scenario_id, jobs = batch.frame["scenario_id"], np.diff(first_out)
    scenario = np.repeat(np.arange(len(jobs)), jobs)
    job = np.arange(len(scenario)) - np.repeat(first_out[:-1] - queue.jobs.first_job[batch.scenarios.workload], jobs)
    arrival_s, release_s = queue.arrival_s[job], queue.jobs.release_s[job]
    origin = arrival_s - release_s
    # A job that starts as it arrives does so at the very number that was given; an instant may be a hair later.
    at_once = results.start_s <= release_s * (1 + model.INSTANT)
    ran = ~np.isnan(results.end_s)
    planned = pl.Series(np.isin(scenario, batch.of(rules.plan)))
    outcomes = pl.DataFrame(
        {
            "scenario_id": scenario_id.gather(scenario),
            "job_id": queue.job_id.gather(job),
            "ranks": pl.Series(results.ranks, dtype=pl.Int64),
            "start_s": pl.Series(np.where(at_once, arrival_s, results.start_s + origin)).fill_nan(None),
            "end_s": pl.Series(results.end_s + origin).fill_nan(None),
            "freed_s": pl.Series(results.freed_s + origin).fill_nan(None),
        }
    ).with_columns(
        pl.when(pl.Series(ran)).then(pl.col("ranks")).alias("ranks"),
        rejected=pl.when(pl.Series(~ran)).then(pl.when(planned).then(pl.lit(NO_PROOF)).otherwise(pl.lit(TOO_LARGE))),
    )
    rejected = np.bincount(scenario[~ran], minlength=len(jobs)).astype(np.float64)
    values = np.column_stack([results.measures, results.bound_s, results.profiling_s, rejected])
    metrics = metrics_of(scenario_id, STUDY.metrics, values)
    # Nobody profiles where all times are known.
    metrics = metrics.filter((pl.col("metric") != "profiling_s") | pl.col("value").is_not_null())
    return {"outcomes": outcomes, "metrics": metrics}
