"""What a drop of GPU applications, tasks, graphs or PIM runs holds, and which answers the default run gives on it.

The answers are said by the module `leads` of each study. It has `ANSWERS`, which maps a table to a function of the
tables that the trace holds: its answers in words, and what there is none of ("no …"). It may have `lacking(tables,
trace)`: columns and tables that the trace lacks, and what each would do. Answers are words for logs: no result depends
on them.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from pipeline.runtime import sources
from pipeline.runtime.study import declared
from pipeline.runtime.wording import counted

Tables = Mapping[str, pl.DataFrame]

LEADS = [
    importlib.import_module(f"pipeline.studies.{study}.leads")
    for study in declared()
    if study in sources.with_module("leads")
]
"""Found now: later this may run as a user who may not look into the project."""

JUDGED = (
    *("jobs", "kernels", "gpu_apps", "sm_curves", "corun_pairs"),
    *("slice_points", "slice_demands", "solo_rates"),
)
"""Tables by which `lacking` says what a trace lacks."""

MEASURED_MEMORY = ("measured", "default_like")
"""Origins of memory by which savings are counted."""


class Holds(NamedTuple):
    """A table that is not of jobs, and what a row and several are called."""

    table: str
    row: str
    rows: str


def held(tables: Tables, trace_id: str) -> tuple[str | None, list[str]]:
    """What a trace holds in the place of jobs and samples, and its answers, each in a line; None, [] for other traces.

    tables: canonical tables of a drop by name.
    """
    frames = {
        holds.table: of_trace
        for holds in HOLDS
        if holds.table in tables and (of_trace := tables[holds.table].filter(trace=trace_id)).height
    }
    if not frames:
        return None, []
    names = [counted(frames[holds.table].height, holds.row, holds.rows) for holds in HOLDS if holds.table in frames]
    answers = [answer for holds in HOLDS if holds.table in frames for answer in _answers(holds.table, frames)]
    return ", ".join(names), [f"answer: {answer}" for answer in answers] or ["answer: none"]


def _answers(table: str, frames: Tables) -> list[str]:
    """What all studies answer on a table; what there is no answer to comes last."""
    answers = [answer for study in LEADS if table in study.ANSWERS for answer in study.ANSWERS[table](frames)]
    return sorted(answers, key=lambda answer: answer.startswith("no "))


def of_jobs(trace: Mapping[str, Any]) -> list[str]:
    """What is assumed of the memory of a trace of jobs, and its answers, each in a line; none for other traces.

    trace: row of the canonical table `traces`.
    """
    if not trace["jobs"] or trace["status"] != "read":
        return []
    answers = [f"answer: {answer}" for answer in _answers("jobs", {})]
    if trace["memory_origin"] in MEASURED_MEMORY:
        return answers
    if trace["memory_origin"] == "default":
        return [
            "memory: the log has a default of the site, no measurement. No amount can be said to be enough.",
            *answers,
        ]
    there = "what was requested, not what was used" if trace["memory_origin"] == "requested" else "none"
    stated = trace["mean_memory_stated_gb"]
    mean = "" if stated is None else f" with the mean of {stated:g} GB that trace.yaml states"
    return [f"memory: the log has {there}. Answers assume it by documented laws{mean} and count no savings.", *answers]


def lacking(tables: Tables, trace: Mapping[str, Any]) -> list[str]:
    """Columns and tables that a trace lacks and what they would do, each in a line.

    tables: canonical tables of the drop by name; trace: row of the canonical table `traces`.
    """
    if trace["status"] != "read":
        return []
    frames = {name: of_trace for name, frame in tables.items() if (of_trace := _of_trace(frame, trace)).height}
    gaps: list[tuple[str, str]] = []
    if "jobs" in frames:
        if trace["memory_origin"] not in MEASURED_MEMORY:
            gaps.append(("used_memory_gb", "count savings, from the memory that jobs used"))
            if _mean_would_do(trace):
                gaps.append(("mean_memory_gb in trace.yaml", "give sizes in GB, not in multiples of the mean"))
        if frames["jobs"]["walltime_s"].null_count() == frames["jobs"].height:
            gaps.append(("walltime_s", "backfill jobs by the limits that users gave"))
        if trace["nodes_origin"] == "largest_job":
            gaps.append(("start_s and end_s", "tell the machine's size"))
    for study in LEADS:
        gaps += study.lacking(frames, trace) if hasattr(study, "lacking") else []
    return [f"missing: {what} (would {then})" for what, then in gaps]


def _mean_would_do(trace: Mapping[str, Any]) -> bool:
    """Whether the jobs' memory is assumed, with a mean that nobody states."""
    return trace["memory_origin"] != "default" and trace["mean_memory_stated_gb"] is None


def _of_trace(frame: pl.DataFrame, trace: Mapping[str, Any]) -> pl.DataFrame:
    return frame.filter(trace=trace["trace"]) if "trace" in frame.columns else frame.clear()


HOLDS = (
    Holds("kernels", "kernel", "kernels"),
    Holds("gpu_apps", "application", "applications"),
    Holds("sm_curves", "point of a curve", "points of curves"),
    Holds("corun_pairs", "pair", "pairs"),
    Holds("slice_points", "point on a slice", "points on slices"),
    Holds("slice_demands", "demand", "demands"),
    Holds("solo_rates", "rate alone", "rates alone"),
    Holds("tasks", "task", "tasks"),
    Holds("graphs", "graph", "graphs"),
    Holds("pim_runs", "run", "runs"),
    Holds("perf_points", "point of a curve", "points of curves"),
    Holds("queues", "queued job", "queued jobs"),
)
"""Tables by which a trace is known that has no jobs, in the order in which they are told."""
