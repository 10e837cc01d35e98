"""How true replays are to a log: its jobs replayed under several dialects of the queue, beside the starts that it has.

Each job has its own submission, nodes, run time and limit; memory plays no part. docs/guides/fidelity.md
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.statistics import fidelity
from pipeline.statistics.streams import stream
from pipeline.studies.hpc_memory.batch_system import KEPT
from pipeline.studies.hpc_memory.dialects import SETTINGS, Setting
from pipeline.studies.hpc_memory.replay import replay
from pipeline.tables.canonical.fidelity import CANONICAL

TAKES = ("jobs", "traces")
HALVES = {"first": 1, "second": 2, "whole": None}
MEASURED = "measured"
"""Setting of what the log has."""
CHOSEN_BY = ("discordant_queued", "wait_distance_s")
"""Measures of the first half by which a setting is the closest: the first, of those that tie in it the second."""
FEWEST_JOBS = 2
"""Jobs in each half below which nothing is compared."""
SHORTEST_S = 1e-3
"""Run time of a job that the log has without any."""
LONG_WAIT_S = 60.0
DRAWN = "_drawn"
"""What ends the name of a setting in which limits that a log does not have are drawn."""
MOST_OVER_RUN = 5.0
"""Drawn limits are the run time times a number that is uniform from 1 to this (Mu'alem and Feitelson 2001, f = 4)."""
DRAWS = 5
"""How often limits are drawn. One is not enough: on Cirrus the error in mean wait of `conservative` is 36 to 117 %."""
MOST_LOOKS = 2e10
"""Jobs times the square of the deepest queue up to which settings that keep reservations are replayed (some 10 s each):
each of their passes looks at all that wait."""
POINTS = 400
"""Times at which the queue is looked at."""
OF_MACHINE = ("mean_wait_measured_s", "mean_wait_replayed_s", "utilisation_measured", "utilisation_replayed")
"""Measures that are no differences, so that executions have no noise in them."""


def compare(jobs: pl.DataFrame, traces: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Replays of a drop's logs beside their starts: the tables of `tables.canonical.fidelity`.

    jobs, traces: canonical tables. A log is compared where the size of its machine is known and each half of its time
    has jobs with a start and an end; jobs without them, larger than the machine, or with a start before their
    submission are left out. A log may be a cut that begins with jobs on the machine: what starts before the first end
    is given, its start is the log's and is not compared, and who waits then is in the queue from then on. Where a job
    has no limit, its run time is taken for one, and all settings are replayed with drawn limits, too: the value is the
    mean over DRAWS. Logs of the drop whose jobs have the same names and nodes are executions of one workload: they tell
    the machine's own noise.
    """
    machines = dict(traces.select("trace", "nodes").drop_nulls().iter_rows())
    executed = {
        trace_id: _executed(log, machines[trace_id])
        for (trace_id,), log in jobs.partition_by("trace", as_dict=True, maintain_order=True).items()
        if trace_id in machines
    }
    logs = {trace_id: log for trace_id, log in executed.items() if len(log) and _both_halves(log)}
    comparisons = list(_compared(logs, machines))
    return {
        name: pl.concat([tables.empty(schema), *(tables.conform(each[k], schema) for each in comparisons)])
        for k, (name, schema) in enumerate(CANONICAL.items())
    }


def _executed(jobs: pl.DataFrame, nodes: int) -> pl.DataFrame:
    """The jobs that ran and that the machine has room for, in the order of their submission."""
    ran = jobs.filter(
        pl.col("start_s").is_not_null(),
        pl.col("end_s").is_not_null(),
        pl.col("nodes") <= nodes,
        pl.col("start_s") >= pl.col("submit_s"),
    )
    in_order = ran.sort("submit_s", "position", "job_id", maintain_order=True, nulls_last=True)
    return in_order.with_columns(given=pl.col("start_s") < pl.col("end_s").min())


def _both_halves(jobs: pl.DataFrame) -> bool:
    submit_s = jobs.filter(~pl.col("given"))["submit_s"]
    _, middle = fidelity.span_s(jobs, half=1)
    return min((submit_s < middle).sum(), (submit_s >= middle).sum()) >= FEWEST_JOBS


def _compared(logs: dict[str, pl.DataFrame], machines: dict[str, int]) -> Iterator[tuple[pl.DataFrame, pl.DataFrame]]:
    """Measures and queue of each log."""
    noise = _noise(logs, machines)
    for trace_id, jobs in logs.items():
        nodes = machines[trace_id]
        keeping = [setting for setting in SETTINGS if setting.columns.get("reservations") == KEPT]
        settings = [setting for setting in SETTINGS if setting not in keeping]
        starts = _replayed(jobs, nodes, settings)
        if len(jobs) * _deepest_queue(jobs["submit_s"], starts["conservative"]) ** 2 <= MOST_LOOKS:
            settings = list(SETTINGS)
            starts |= _replayed(jobs, nodes, keeping)
        starts = {setting.name: starts[setting.name] for setting in settings}
        measures = _measures(jobs, nodes, starts)
        for draw in range(DRAWS if jobs["walltime_s"].has_nulls() else 0):
            over_run = stream(0, "drawn limits", draw).uniform(1.0, MOST_OVER_RUN, len(jobs))
            drawn = {f"{name}{DRAWN}": start_s for name, start_s in _replayed(jobs, nodes, settings, over_run).items()}
            measures.append(pl.concat(_measures(jobs, nodes, drawn)))
            starts |= {name: start_s for name, start_s in drawn.items() if name not in starts}
        value = pl.col("value").drop_nulls()
        is_drawn = pl.col("setting").str.ends_with(DRAWN)
        measures = (
            pl.concat(measures)
            .group_by("setting", "half", "measure", "unit", maintain_order=True)
            .agg(value=value.mean(), least=value.min(), most=value.max())
            .with_columns(pl.when(is_drawn).then(pl.col("least", "most")))
        )
        chosen = closest(measures)
        table = pl.concat([_of_log(jobs, nodes), measures], how="diagonal").with_columns(
            trace=pl.lit(trace_id), closest=pl.col("setting") == chosen
        )
        if trace_id in noise:
            table = table.join(noise[trace_id], on=["half", "measure"], how="left", maintain_order="left")
        else:
            table = table.with_columns(noise=pl.lit(None, pl.Float64))
        queues = {MEASURED: jobs["start_s"].to_numpy(), chosen: starts[chosen].to_numpy()}
        queue = pl.concat(_queue(jobs, nodes, start_s, setting) for setting, start_s in queues.items())
        yield table, queue.with_columns(trace=pl.lit(trace_id))


def _measures(jobs: pl.DataFrame, nodes: int, starts: dict[str, pl.Series]) -> list[pl.DataFrame]:
    """Measures of the settings, by half: also columns setting, half."""
    return [
        fidelity.measures(jobs.with_columns(replayed_start_s=start_s), nodes, half).with_columns(
            setting=pl.lit(setting), half=pl.lit(name)
        )
        for setting, start_s in starts.items()
        for name, half in HALVES.items()
    ]


def _replayed(
    jobs: pl.DataFrame, nodes: int, settings: Sequence[Setting], over_run: np.ndarray | float = 1.0
) -> dict[str, pl.Series]:
    """Start of each job under each setting. over_run: a limit that the log does not have, over the run time."""
    run_s = pl.max_horizontal(pl.col("end_s") - pl.col("start_s"), SHORTEST_S)
    in_queue_s = pl.max_horizontal("submit_s", pl.col("end_s").min())
    asked = jobs.select(
        "nodes",
        submit_s=pl.when("given").then("start_s").otherwise(in_queue_s),
        workload_id=pl.lit("log"),
        job_id=pl.int_range(pl.len()),
        position=pl.int_range(pl.len()),
        walltime_s=pl.coalesce("walltime_s", run_s * pl.lit(over_run)),
    )
    phases = jobs.select(
        workload_id=pl.lit("log"), job_id=pl.int_range(pl.len()), phase=0, duration_s=run_s, memory_gb=0.0
    )
    scenarios = pl.DataFrame(
        [
            {"scenario_id": setting.name, "scheduler": "unlimited", "workload_id": "log", "nodes": nodes,
             "memory_gb": 0.0, **setting.columns}
            for setting in settings
        ],
        infer_schema_length=None,
    )  # fmt: skip
    outcomes = replay({"jobs": asked, "phases": phases}, scenarios)["outcomes"].sort("scenario_id", "job_id")
    return {setting.name: outcomes.filter(pl.col("scenario_id") == setting.name)["start_s"] for setting in settings}


def _deepest_queue(submit_s: pl.Series, start_s: pl.Series) -> int:
    """The most jobs that wait at once."""
    started = np.sort(start_s.to_numpy())
    return int(np.max(np.searchsorted(np.sort(submit_s.to_numpy()), started, side="right") - np.arange(len(started))))


def closest(measures: pl.DataFrame) -> str:
    """The setting with the least of CHOSEN_BY in the first half, the first of those that tie in all.

    measures: columns setting, half, measure, value, in the order of the settings.
    """
    first = measures.filter(pl.col("half") == "first", pl.col("measure").is_in(CHOSEN_BY))
    by_setting = first.pivot("measure", index="setting", values="value", maintain_order=True)
    return by_setting.sort(*CHOSEN_BY, maintain_order=True, nulls_last=True)["setting"][0]


def _of_log(jobs: pl.DataFrame, nodes: int) -> pl.DataFrame:
    """What to know of the log: jobs compared and given, limits assumed, and jobs that waited while all that waited had
    room, as a share of all and of all node time."""
    submit_s, start_s, size = (jobs[name].to_numpy() for name in ("submit_s", "start_s", "nodes"))
    wanted = _in_use(jobs, submit_s, np.sort(submit_s), size[np.argsort(submit_s, kind="stable")])
    compared = ~jobs["given"].to_numpy()
    held_back = (start_s - submit_s > LONG_WAIT_S) & (wanted <= nodes) & compared
    node_time = size * (jobs["end_s"].to_numpy() - start_s)
    values = {
        "jobs_compared": float(compared.sum()),
        "jobs_given": float((~compared).sum()),
        "limits_assumed": jobs["walltime_s"].is_null().mean(),
        "held_back": float(held_back.sum() / compared.sum()),
        "held_back_node_time": float(node_time[held_back].sum() / node_time.sum()) if node_time.sum() else None,
    }
    return pl.DataFrame(
        {"setting": MEASURED, "half": "whole", "measure": list(values), "value": list(values.values()), "unit": "1"}
    )


def _in_use(jobs: pl.DataFrame, at_s: np.ndarray, begin_s: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Nodes of jobs that have begun (times in order, with their sizes) and not ended, at each of the times."""
    ended = jobs.sort("end_s", maintain_order=True)
    begun = np.concatenate([[0], np.cumsum(size)])[np.searchsorted(begin_s, at_s, side="right")]
    over = np.concatenate([[0], np.cumsum(ended["nodes"].to_numpy())])
    return begun - over[np.searchsorted(ended["end_s"].to_numpy(), at_s, side="right")]


def _queue(jobs: pl.DataFrame, nodes: int, start_s: np.ndarray, setting: str) -> pl.DataFrame:
    """Jobs waiting and nodes in use at POINTS times from the first submission to the last."""
    submit_s = np.sort(jobs["submit_s"].to_numpy())
    at_s = np.linspace(submit_s[0], submit_s[-1], POINTS)
    run_s = (jobs["end_s"] - jobs["start_s"]).to_numpy()
    order, ends = np.argsort(start_s, kind="stable"), np.argsort(start_s + run_s, kind="stable")
    size = jobs["nodes"].to_numpy()
    begun = np.searchsorted(start_s[order], at_s, side="right")
    over = np.searchsorted((start_s + run_s)[ends], at_s, side="right")
    used = np.concatenate([[0], np.cumsum(size[order])])[begun] - np.concatenate([[0], np.cumsum(size[ends])])[over]
    return pl.DataFrame(
        {
            "setting": setting,
            "time_s": at_s,
            "waiting": np.searchsorted(submit_s, at_s, side="right") - begun,
            "busy": used / nodes,
        }
    )


def _noise(logs: dict[str, pl.DataFrame], machines: dict[str, int]) -> dict[str, pl.DataFrame]:
    """Of each log that others are executions of, too: the mean size of each measure between it and those."""
    pairs = [pair for pair in permutations(logs, 2) if _one_workload(logs[pair[0]], logs[pair[1]])]
    measures_of_log: dict[str, list[pl.DataFrame]] = {}
    for one, other in pairs:
        others = logs[other].select("name", replayed_start_s="start_s")
        jobs = logs[one].join(others, on="name", validate="1:1", maintain_order="left")
        for name, half in HALVES.items():
            measures = fidelity.measures(jobs, machines[one], half).with_columns(half=pl.lit(name))
            measures_of_log.setdefault(one, []).append(measures.filter(~pl.col("measure").is_in(OF_MACHINE)))
    return {
        trace_id: pl.concat(frames)
        .group_by("half", "measure", maintain_order=True)
        .agg(noise=pl.col("value").abs().mean())
        for trace_id, frames in measures_of_log.items()
    }


def _one_workload(one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether both are executions of the same jobs, by their names, each of which is one job's, and their nodes."""
    names = one["name"]
    if len(one) != len(other) or names.null_count() or names.n_unique() < len(names):
        return False
    return one.select("name", "nodes").sort("name").equals(other.select("name", "nodes").sort("name"))
