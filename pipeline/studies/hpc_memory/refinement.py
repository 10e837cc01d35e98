"""The second round of scenarios: memory sizes around those at which the bounds begin to be kept.

The configured sizes are a coarse grid. Once it is replayed, the mean loss of utilisation over the batches, and the mean
growth of the response time, say between which two sizes of it a scheduler begins to keep both bounds; a few sizes in
between are replayed on the same workloads. Both are measured after the warm-up (steady_utilisation, steady_response_s).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from pipeline.studies.hpc_memory.config import Sweep

if TYPE_CHECKING:
    from pipeline.config import Configuration

BASELINE = "unlimited"
"""The scheduler that losses are measured against; it has no size to be refined."""
USUAL = Sweep(workload="phased")
"""A sweep that sets nothing: only scenarios with its parameters are refined."""
MOST_OVER_MEAN = 2.5
"""Largest size that is tried, over the mean memory per node in use, where the memory of the machine is not known."""
LEAST_OF_GRID = 0.5
"""Least size that is tried, as a share of the smallest of the grid."""


def refine(
    config: Configuration, workloads: pl.DataFrame, scenarios: pl.DataFrame, metrics: pl.DataFrame
) -> pl.DataFrame:
    """Scenarios of the second round, for the schedulers whose metrics are given.

    workloads and scenarios: those of the first round, as the study's functions of these names return them; metrics
    (scenario_id, metric, value): what their replays gave, of any schedulers and of the baseline, `unlimited`.

    For each family of workloads, scheduler and bound of `hpc_memory.loss_bounds`, each beside
    `hpc_memory.response_bound`, `hpc_memory.refine` sizes are placed by `between`; only scenarios with the default
    parameters (alpha, tau and so on, as a sweep has them that names none) are looked at. Returns a table with the
    columns of `scenarios`, sorted by id; no id is one of `scenarios`.
    """
    refined = [scenarios.clear()]
    for (family, scheduler), runs in (
        _losses(workloads, scenarios, metrics).partition_by("family", "scheduler", as_dict=True).items()
    ):
        curve = (
            runs.group_by("memory_per_node_gb").agg(pl.col("loss", "growth").sort().mean()).sort("memory_per_node_gb")
        )
        sizes = between(
            curve["memory_per_node_gb"].to_list(),
            curve["loss"].to_list(),
            curve["growth"].to_list(),
            [(loss, config.hpc_memory.response_bound) for loss in config.hpc_memory.loss_bounds],
            config.hpc_memory.refine,
            _most_gb(workloads.filter(pl.col("family") == family)),
        )
        # One scenario of each batch, to be run with other sizes.
        first = runs.sort("memory_per_node_gb").unique("workload_id", keep="first")["scenario_id"]
        of_scheduler = scenarios.filter(pl.col("scenario_id").is_in(first.implode()), pl.col("scheduler") == scheduler)
        refined += [_resized(of_scheduler, size) for size in sizes]
    return pl.concat(refined).sort("scenario_id")


def between(
    sizes: Sequence[float],
    losses: Sequence[float],
    growths: Sequence[float],
    bounds: Sequence[tuple[float, float]],
    count: int,
    most: float,
) -> list[float]:
    """Sizes to try beside those of a grid, rising, none of them twice.

    sizes: those of the grid, rising (GB per node); losses, growths: mean loss of utilisation and mean growth of the
    response time at each; bounds: pairs of what is accepted of the two. A pair is kept from a size on where loss and
    growth there and at all larger sizes are within it. Per pair, `count` sizes are spread evenly

    * between the largest that fails it and the smallest that keeps it;
    * where all fail, above the largest up to `most` (that included; none where `most` is no larger);
    * where all keep it, from half the smallest up to it.
    """
    worst, slowest = (np.maximum.accumulate(np.asarray(of, float)[::-1])[::-1] for of in (losses, growths))
    tried: set[float] = set()
    for loss, growth in bounds:
        failing = int(np.count_nonzero((worst > loss) | (slowest > growth)))
        if failing == len(sizes):
            tried.update(np.linspace(sizes[-1], max(most, sizes[-1]), count + 1)[1:])
        elif failing == 0:
            tried.update(np.linspace(LEAST_OF_GRID * sizes[0], sizes[0], count + 1)[:-1])
        else:
            tried.update(np.linspace(sizes[failing - 1], sizes[failing], count + 2)[1:-1])
    return sorted({_rounded(size) for size in tried} - {_rounded(size) for size in sizes} - {0.0})


def _rounded(size_gb: float) -> float:
    # As the sizes of the grid: scenario ids tell no more digits.
    return round(float(size_gb), 6)


def _losses(workloads: pl.DataFrame, scenarios: pl.DataFrame, metrics: pl.DataFrame) -> pl.DataFrame:
    """Loss of every run with the default parameters: scenario_id, family, workload_id, scheduler, memory_per_node_gb,
    loss of utilisation, growth of the response time.
    """
    measured = [
        metrics.filter(pl.col("metric") == f"steady_{name}").select("scenario_id", pl.col("value").alias(name))
        for name in ("utilisation", "response_s")
    ]
    # Other spreads of the laws are there for claims, which ask at sizes of the grid.
    facts = workloads.filter(pl.col("law_spread").is_null()).select(
        "workload_id", "family", usual_knowledge="knowledge", phase_s=pl.when(pl.col("kind") == "dynamic").then("tau_s")
    )
    names = ("alpha", "reconfiguration", "backfilling", "free_start", "largest_by")
    usual = [pl.col(name) == getattr(USUAL, name)[0] for name in names]
    usual.append((pl.col("knowledge") == pl.col("usual_knowledge")).fill_null(True))
    runs = (
        scenarios.join(measured[0], on="scenario_id", maintain_order="left")
        .join(measured[1], on="scenario_id", maintain_order="left")
        .join(facts, on="workload_id", how="inner", maintain_order="left")
        .filter(*usual, ~pl.col("timeline"))
    )
    baseline = runs.filter(pl.col("scheduler") == BASELINE).select(
        "workload_id", unlimited="utilisation", unlimited_s="response_s"
    )
    return (
        # Dynamic workloads have phases of one reconfiguration, whatever that takes.
        runs.filter(pl.col("scheduler") != BASELINE, pl.col("tau_s") == pl.coalesce("phase_s", pl.lit(USUAL.tau_s[0])))
        .join(baseline, on="workload_id", maintain_order="left")
        .select(
            "scenario_id",
            "family",
            "workload_id",
            "scheduler",
            "memory_per_node_gb",
            loss=1 - pl.col("utilisation") / pl.col("unlimited"),
            growth=pl.col("response_s") / pl.col("unlimited_s") - 1,
        )
        .filter(pl.col("loss").is_finite() & pl.col("growth").is_finite())
    )


def _most_gb(workloads: pl.DataFrame) -> float:
    """Largest size worth trying for a family of workloads: the machine's own memory, or a multiple of the mean use."""
    known = workloads["node_memory_gb"].drop_nulls()
    if len(known):
        return float(known[0])
    return MOST_OVER_MEAN * float(workloads["mean_memory_gb"].mean() or 0.0)


def _resized(scenarios: pl.DataFrame, size_gb: float) -> pl.DataFrame:
    """The scenarios with another memory per node (GB), which is a part of their ids."""
    ids = [
        f"/m{size_gb:.12g}/".join(scenario_id.rsplit(f"/m{old_gb:.12g}/", 1))
        for scenario_id, old_gb in scenarios.select("scenario_id", "memory_per_node_gb").iter_rows()
    ]
    return scenarios.with_columns(
        scenario_id=pl.Series(ids, dtype=pl.String),
        memory_per_node_gb=pl.lit(size_gb),
        memory_gb=size_gb * pl.col("nodes"),
    )
