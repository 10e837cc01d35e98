"""What a drop of GPU applications, tasks, graphs or PIM runs holds, and which answers the default run gives on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import polars as pl

from pipeline.tables import OF_GPUS
from pipeline.tables.mix_names import stated_mix

Tables = Mapping[str, pl.DataFrame]

LEAST_JUDGED = 5
"""Applications measured side by side from which rules that choose partners are judged."""

JUDGED = (
    *("jobs", "kernels", "gpu_apps", "sm_curves", "corun_pairs"),
    *("slice_points", "slice_demands", "solo_rates"),
)
"""Tables by which `lacking` says what a trace lacks."""

MEASURED_MEMORY = ("measured", "default_like")
"""Origins of memory by which savings are counted."""


class Holds(NamedTuple):
    """A table that is not of jobs: what a row and several are called, and the answers that it leads to."""

    table: str
    row: str
    rows: str
    answers: Callable[[Tables], list[str]]


def held(tables: Tables, trace_id: str) -> tuple[str | None, list[str]]:
    """What a trace holds in the place of jobs and samples, and its answers, each in a line; None, [] for other traces.

    tables: canonical tables of a drop by name.
    """
    mine = {
        holds.table: of_trace
        for holds in HOLDS
        if holds.table in tables and (of_trace := tables[holds.table].filter(trace_id=trace_id)).height
    }
    if not mine:
        return None, []
    names = [_counted(mine[holds.table].height, holds.row, holds.rows) for holds in HOLDS if holds.table in mine]
    answers = [answer for holds in HOLDS if holds.table in mine for answer in holds.answers(mine)]
    return ", ".join(names), [f"answer: {answer}" for answer in answers] or ["answer: none"]


def of_jobs(trace: Mapping[str, Any]) -> list[str]:
    """What is assumed of the memory of a trace of jobs, and its answers, each in a line; none for other traces.

    trace: row of the canonical table `traces`.
    """
    if not trace["jobs"] or trace["status"] != "read":
        return []
    if trace["unit"] in OF_GPUS:
        return ["answer: none, as the log has no memory of its jobs, and the laws of memory are those of nodes"]
    answers = "answer: recommended_hpc_memory, smallest_memory_for_loss (memory that nodes share)"
    if trace["memory_origin"] in MEASURED_MEMORY:
        return [answers]
    if trace["memory_origin"] == "default":
        return [
            "memory: the log has a default of the site, no measurement. No amount can be said to be enough.",
            answers,
        ]
    there = "what was requested, not what was used" if trace["memory_origin"] == "requested" else "none"
    stated = trace["mean_memory_stated_gb"]
    mean = "" if stated is None else f" with the mean of {stated:g} GB that trace.yaml states"
    return [f"memory: the log has {there}. Answers assume it by documented laws{mean} and count no savings.", answers]


def lacking(tables: Tables, trace: Mapping[str, Any]) -> list[str]:
    """Columns and tables that a trace lacks and what they would do, each in a line.

    tables: canonical tables of the drop by name; trace: row of the canonical table `traces`.
    """
    if trace["status"] != "read":
        return []
    mine = {name: of_trace for name, frame in tables.items() if (of_trace := _of_trace(frame, trace)).height}
    found: list[tuple[str, str]] = []
    if "jobs" in mine:
        if trace["memory_origin"] not in MEASURED_MEMORY:
            found.append(("used_memory_gb", "count savings, from the memory that jobs used"))
            if _mean_would_do(trace):
                found.append(("mean_memory_gb in trace.yaml", "give sizes in GB, not in multiples of the mean"))
        if mine["jobs"]["walltime_s"].null_count() == mine["jobs"].height:
            found.append(("walltime_s", "backfill jobs by the limits that users gave"))
        if trace["nodes_origin"] == "largest_job":
            found.append(("start_s and end_s", "tell the machine's size"))
    elif trace["samples"] and not trace["jobs"]:
        found.append(("a table of jobs", "lead to recommended_hpc_memory"))
    if "kernels" in mine:
        rates = [
            name for name in ("gflops", "memory_gbps") if mine["kernels"][name].null_count() == len(mine["kernels"])
        ]
        if rates:
            found.append((" and ".join(rates), "lead to recommended_gpu_corun"))
    elif "slice_points" in mine and "slice_demands" not in mine:
        found.append(("a table of demands", "lead to fewest_slices"))
    elif "corun_pairs" in mine and not {"gpu_apps", "sm_curves", "solo_rates"} & mine.keys():
        found.append(("a table of kernels", "lead to modelled_and_measured_pairs"))
        if pl.concat([mine["corun_pairs"][side] for side in ("app_a", "app_b")]).n_unique() >= LEAST_JUDGED:
            found.append(("profiles of the applications, by ncu or nvprof", "lead to best_corun_rule"))
    return [f"missing: {what} (would {then})" for what, then in found]


def _mean_would_do(trace: Mapping[str, Any]) -> bool:
    """Whether the jobs' memory is assumed, with a mean that nobody states."""
    assumed = trace["memory_origin"] != "default" and trace["unit"] not in OF_GPUS
    return assumed and trace["mean_memory_stated_gb"] is None


def _of_trace(frame: pl.DataFrame, trace: Mapping[str, Any]) -> pl.DataFrame:
    return frame.filter(trace_id=trace["trace_id"]) if "trace_id" in frame.columns else frame.clear()


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _of_kernels(mine: Tables) -> list[str]:
    apps = _rated(mine["kernels"]).height
    if not apps:
        return ["no recommended_gpu_corun, as no kernel has both gflops and memory_gbps"]
    return [f"recommended_gpu_corun (who shares the GPU, pairs among {_counted(apps, 'application', 'applications')})"]


def _rated(kernels: pl.DataFrame) -> pl.DataFrame:
    """Applications (app) of which a kernel has both rates; a kernel of no application is one itself."""
    rated = kernels.filter(pl.col("gflops").is_not_null() & pl.col("memory_gbps").is_not_null())
    return rated.select(pl.coalesce("app", "kernel").alias("app")).unique()


def _of_curves(mine: Tables) -> list[str]:
    alone = mine["sm_curves"].filter(pl.col("beside").is_null())["app"].unique().to_list()
    apps = sum(stated_mix(app) is None for app in alone)
    found = ["recommended_gpu_partition (task sets that run these applications)"] if apps else []
    if apps < 2:
        return [*found, "no recommended_gpu_sharing, as one application alone shares nothing"]
    parts = "SMs" if mine["sm_curves"]["mig_slices"].null_count() else "slices"
    return [f"recommended_gpu_sharing ({parts} of each, mixes among {apps} applications)", *found]


def _of_pairs(mine: Tables) -> list[str]:
    pairs = mine["corun_pairs"]
    profiled = set(mine["gpu_apps"]["app"]) if "gpu_apps" in mine else set()
    both = pairs.filter(pl.col("app_a").is_in(list(profiled)) & pl.col("app_b").is_in(list(profiled)))
    judged = pl.concat([both["app_a"], both["app_b"]]).n_unique()
    found = ["best_corun_rule (which rule chooses partners best)"] if judged >= LEAST_JUDGED else []
    ran = pairs.drop_nulls("slowdown_a")
    sides = pl.concat([ran.select("gpu", app="app_a"), ran.select("gpu", app="app_b")])
    of_cards = sides.group_by("gpu").agg(pl.col("app").n_unique())["app"]
    if len(of_cards) and of_cards.max() >= LEAST_JUDGED:
        cards = f" on {len(of_cards)} cards" if len(of_cards) > 1 else ""
        found.append(f"best_pair_rule (which rule chooses by rates who shares the GPU{cards})")
    if len(of_cards):
        found.append("best_pairs (who shares the GPU with whom)")
    rated = _rated(mine["kernels"])["app"].to_list() if "kernels" in mine and len(of_cards) == 1 else []
    modelled = ran.filter(pl.col("app_a").is_in(rated) & pl.col("app_b").is_in(rated))
    names = modelled.select(pl.concat_list("app_a", "app_b").list.sort()).to_series().n_unique()
    if names:
        found.append(f"modelled_and_measured_pairs (the model beside {_counted(names, 'pair', 'pairs')})")
    return found


def _of_demands(mine: Tables) -> list[str]:
    sets = mine["slice_demands"]["demand"].n_unique()
    of_sets = _counted(sets, "set of models", "sets of models")
    return [f"fewest_slices and best_slices (slices that serve {of_sets})"]


def _of_tasks(mine: Tables) -> list[str]:
    sets = mine["tasks"]["taskset_id"].n_unique()
    return [f"recommended_gpu_partition (partitions of a GPU for {_counted(sets, 'task set', 'task sets')})"]


def _of_graphs(mine: Tables) -> list[str]:  # noqa: ARG001
    return ["recommended_pim_graph (which policy traverses it fastest)"]


def _of_pim(mine: Tables) -> list[str]:
    frames = [mine[name].select("app", "ranks") for name in ("pim_runs", "perf_points") if name in mine]
    sizes = pl.concat(frames).drop_nulls().group_by("app").agg(pl.col("ranks").n_unique())
    curved = sizes.filter(pl.col("ranks") > 1)["app"].to_list()
    if not curved:
        return ["no recommended_pim_ranks, as no application is measured on two numbers of ranks"]
    queue = ["the queue"] if "queues" in mine else []
    sets = [f"sets of {_counted(len(curved), 'application', 'applications')}"]
    of_dpus = "perf_points" in mine and (mine["perf_points"]["unit"] == "dpu").any()
    unit = "DPUs" if of_dpus else "ranks"
    return [f"recommended_pim_ranks ({' and '.join(queue + sets)})", f"pim_curve ({unit} to give each)"]


HOLDS = (
    Holds("kernels", "kernel", "kernels", _of_kernels),
    Holds("gpu_apps", "application", "applications", lambda _: []),
    Holds("sm_curves", "point of a curve", "points of curves", _of_curves),
    Holds("corun_pairs", "pair", "pairs", _of_pairs),
    Holds("slice_points", "point on a slice", "points on slices", lambda _: []),
    Holds("slice_demands", "demand", "demands", _of_demands),
    Holds("solo_rates", "rate alone", "rates alone", lambda _: []),
    Holds("tasks", "task", "tasks", _of_tasks),
    Holds("graphs", "graph", "graphs", _of_graphs),
    Holds("pim_runs", "run", "runs", _of_pim),
    Holds("perf_points", "point of a curve", "points of curves", _of_pim),
    Holds("queues", "queued job", "queued jobs", lambda _: []),
)
"""Tables by which a trace is known that has no jobs, in the order in which they are told."""
