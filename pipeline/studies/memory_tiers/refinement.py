"""The second round of scenarios: sizes of pool and nodes around the cheapest machines that keep the bounds.

The configured sizes are a coarse grid. For each workload, scheduler and bound, a machine of it is enough where it and
every machine tried that has no less of either memory keep the bound. Between each smallest machine that is enough and
its neighbours that are not, along both sizes, a few more are replayed. So are, without a pool, nodes with as much
memory as any job is given, on which no job waits for memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from pipeline.studies.memory_tiers import STUDY
from pipeline.studies.memory_tiers.scenario import LOCAL_ALONE, USUAL, row_of

if TYPE_CHECKING:
    from pipeline.config import Configuration

BASELINE = "all_local"
"""The scheduler that losses are measured against; it has no size to be refined."""


def refine(
    config: Configuration, workloads: pl.DataFrame, scenarios: pl.DataFrame, metrics: pl.DataFrame
) -> pl.DataFrame:
    """Scenarios of the second round, for the schedulers whose metrics are given (scenario_id, metric, value).

    workloads, scenarios: those of the first round. Only scenarios at the study's defaults are looked at. Returns a
    table with the columns of `scenarios`, sorted by id; no id is one of `scenarios`.
    """
    given, rows = config.memory_tiers, {}
    usual = [pl.col(name) == STUDY.defaults[name] for name in USUAL]
    runs = scenarios.filter(pl.col("scheduler") != BASELINE, *usual).join(
        workloads.select("workload_id", "family"), on="workload_id", maintain_order="left"
    )
    for metric, column in (("steady_loss", "loss"), ("steady_response_ratio", "ratio")):
        values = metrics.filter(pl.col("metric") == metric).select("scenario_id", pl.col("value").alias(column))
        runs = runs.join(values, on="scenario_id", how="inner", maintain_order="left")
    runs = runs.sort("scenario_id")
    for (family, scheduler), own_runs in runs.partition_by("family", "scheduler", as_dict=True).items():
        tried = (
            own_runs.group_by("local_per_node_gb", "pool_per_node_gb")
            .agg(pl.col("loss", "ratio").sort().mean())
            .sort("local_per_node_gb", "pool_per_node_gb")
        )
        of_family = workloads.filter(pl.col("family") == family).sort("workload_id")
        by_request = scheduler in (*LOCAL_ALONE, "static_pool")
        most = float(of_family["most_request_gb" if by_request else "most_memory_gb"].max())
        columns = ("local_per_node_gb", "pool_per_node_gb", "loss", "ratio")
        bounds = [(loss, 1 + given.response_bound) for loss in given.loss_bounds]
        pooled = scheduler not in LOCAL_ALONE
        machines = around(
            *(tried[name].to_numpy() for name in columns), bounds, count=given.refine, most=most, pooled=pooled
        )
        for workload in of_family.iter_rows(named=True):
            for local, pool in machines:
                row = row_of(workload, scheduler, local, pool)
                rows[row["scenario_id"]] = row
    known = set(scenarios["scenario_id"])
    return pl.DataFrame([rows[key] for key in sorted(rows) if key not in known], schema=scenarios.schema)


def around(
    local: np.ndarray,
    pool: np.ndarray,
    loss: np.ndarray,
    ratio: np.ndarray,
    bounds: list[tuple[float, float]],
    *,
    count: int,
    most: float,
    pooled: bool,
) -> list[tuple[float, float]]:
    """Machines to try beside those of a grid (local, pool, rising), none of them twice.

    loss, ratio: measures of each machine, nan where there is none; bounds: pairs of what is accepted of the two; most:
    largest memory that a job is given: more local memory is not worth trying, and so much, without a pool, is tried in
    any case; pooled: whether the scheduler uses the pool.
    """
    ok = np.stack([(loss <= a) & (ratio <= b) for a, b in bounds]) if len(loss) else np.zeros((0, 0), bool)
    no_less = (local[None, :] >= local[:, None]) & (pool[None, :] >= pool[:, None])
    machines = set()
    for within_bounds in ok:
        enough = (within_bounds[None, :] | ~no_less).all(axis=1)
        for i in np.flatnonzero(enough):
            if (no_less[:, i] & enough & (np.arange(len(local)) != i)).any():
                continue
            for other, sizes, place in ((local, pool, 1), (pool, local, 0)):
                below = sizes[(other == other[i]) & (sizes < sizes[i])]
                low = below.max() if len(below) else 0.0
                for size in np.linspace(low, sizes[i], count + 2)[1:-1]:
                    machines.add((local[i], size) if place else (size, pool[i]))
        if not pooled and len(local) and not enough.any() and most > local.max():
            machines.update((size, 0.0) for size in np.linspace(local.max(), most, count + 1)[1:])
    if count:
        machines.add((most, 0.0))
    machines = {(round(float(a), 9), round(float(b), 9)) for a, b in machines}
    return sorted(machines - set(zip(local.tolist(), pool.tolist(), strict=True)))
