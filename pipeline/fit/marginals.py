"""Marginal laws of a trace: nodes, phase length, phases a job, memory (HiPC 2024, Section V-A, Figures 1 and 3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from pipeline import laws, tables
from pipeline.fit import estimators
from pipeline.fit.estimators import Values
from pipeline.fit.phases import require

QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)

CANDIDATES = {
    "memory_by_node_time_gb": ("constant", "uniform", "beta", "truncated_normal"),
    "memory_gb": ("constant", "uniform", "beta", "truncated_normal"),
    "nodes": ("constant", "discrete_uniform", "truncated_geometric", "zipf", "rounded_lognormal"),
    "phase_length_s": ("constant", "exponential", "lognormal", "weibull", "gamma"),
    "phases_per_job": ("constant", "geometric", "rounded_lognormal"),
}
"""Laws fitted to each quantity, the simpler first: of two equally far from the values the first is the best."""

POINTS = 200
"""Rows of a distribution, at most."""
SHARES = np.concatenate([np.arange(160) / 160, 1 - 2.0 ** -np.arange(1, POINTS - 160) / 160, [1.0]])
"""Shares that a distribution of more values is given at: the tail is halved on and on, since a mean hangs on it."""


def fit(jobs: pl.DataFrame, phases: pl.DataFrame) -> pl.DataFrame:
    """Candidate laws of every trace's marginals with their distance, as rows of `tables.Marginal`.

    jobs: trace_id, job_id, nodes. phases: trace_id, job_id, duration_s (s), memory_gb (GB per node), and node where it
    holds rows of nodes: only those of whole jobs (node null) count, because a replay draws one memory need a phase of
    a job.

    | quantity               | symbol | values                                                                |
    |------------------------|--------|-----------------------------------------------------------------------|
    | nodes                  | C_m    | a job's nodes                                                         |
    | phase_length_s         | L_m    | a phase's length                                                      |
    | phases_per_job         | N_p    | phases of a job                                                       |
    | memory_gb              |        | a phase's memory, **weighted by the phase's length**                  |
    | memory_by_node_time_gb | X_m    | the same weighted by node-seconds, length times nodes: Figure 1       |

    A job of which only the phases are known counts as one node there. The law `empirical` holds count (of jobs or
    phases), mean, sd (population), min, max and the quantiles q00 … q100 (smallest value that the share is reached at).
    Every other law (`CANDIDATES`) has its parameters (`laws.PARAMETERS`), `ks`, the Kolmogorov–Smirnov distance to the
    (weighted) empirical one, and `count`; `best` marks the rows of the one with the smallest distance. A law whose
    parameters the values do not determine is left out (values all alike have the law `constant`), and a quantity
    without values has no rows. Sorted by trace and quantity. Raises ValueError for a missing column.
    """
    rows = []
    for trace_id, quantity, values in _quantities(jobs, phases):
        rows += [(trace_id, quantity, "empirical", *row, False, tables.FITTED) for row in _empirical(values)]
        fitted = {}
        for law in CANDIDATES[quantity]:
            parameters = getattr(estimators, law)(values)
            if parameters is not None:
                distance = values.ks_distance(laws.build(law, parameters))
                fitted[law] = parameters | {"ks": distance, "count": float(values.count)}
        best = min(fitted, key=lambda law: fitted[law]["ks"])
        for law, found in fitted.items():
            rows += [(trace_id, quantity, law, *row, law == best, tables.FITTED) for row in found.items()]
    return pl.DataFrame(rows, schema=tables.polars_schema(tables.Marginal), orient="row")


def distributions(jobs: pl.DataFrame, phases: pl.DataFrame) -> pl.DataFrame:
    """Empirical distribution functions of the same quantities, as rows of `tables.Distribution`.

    jobs and phases as for `fit`. At most `POINTS` rows a quantity: all its distinct values where they are no more,
    otherwise the smallest values that `SHARES` are reached at, the least and the largest value among them. What stands
    in a row is exact: `share` is P(X <= value). Sorted by trace, quantity and value.
    """
    found = [tables.empty(tables.Distribution)]
    for trace_id, quantity, values in _quantities(jobs, phases):
        exact = values.at.size <= POINTS
        at = np.arange(values.at.size) if exact else np.unique(values.index(SHARES))
        rows = pl.DataFrame({"value": values.at[at], "share": values.reached[at]}).with_columns(
            trace_id=pl.lit(trace_id), quantity=pl.lit(quantity), exact=pl.lit(exact), origin=pl.lit(tables.FITTED)
        )
        found.append(tables.conform(rows, tables.Distribution))
    return pl.concat(found)


def _quantities(jobs: pl.DataFrame, phases: pl.DataFrame) -> Iterator[tuple[str, str, Values]]:
    """Trace, quantity and values of every marginal that has any."""
    require(jobs, ["trace_id", "job_id", "nodes"], "jobs")
    require(phases, ["trace_id", "job_id", "duration_s", "memory_gb"], "phases")
    whole = phases.filter(pl.col("node").is_null()) if "node" in phases.columns else phases
    whole = whole.select(
        "trace_id", "job_id", pl.col("duration_s").cast(pl.Float64), pl.col("memory_gb").cast(pl.Float64)
    ).join(jobs.select("trace_id", "job_id", "nodes"), on=["trace_id", "job_id"], how="left", maintain_order="left")
    traces = pl.concat([jobs["trace_id"].cast(pl.String), whole["trace_id"].cast(pl.String)])
    for trace_id in traces.unique().sort():
        of_trace = whole.filter(pl.col("trace_id") == trace_id)
        nodes = jobs.filter(pl.col("trace_id") == trace_id)["nodes"].drop_nulls().cast(pl.Float64).to_numpy()
        length_s, memory_gb = of_trace["duration_s"].to_numpy(), of_trace["memory_gb"].to_numpy()
        per_job = of_trace.group_by("job_id", maintain_order=True).len()["len"].cast(pl.Float64).to_numpy()
        node_s = length_s * of_trace["nodes"].fill_null(1).cast(pl.Float64).to_numpy()
        for quantity, values, weights in (
            ("memory_by_node_time_gb", memory_gb, node_s),
            ("memory_gb", memory_gb, length_s),
            ("nodes", nodes, None),
            ("phase_length_s", length_s, None),
            ("phases_per_job", per_job, None),
        ):
            if values.size:
                yield trace_id, quantity, Values.of(values, weights)


def _empirical(values: Values) -> Iterator[tuple[str, float]]:
    yield "count", float(values.count)
    yield "mean", values.mean
    yield "sd", values.sd
    yield "min", float(values.at[0])
    yield "max", float(values.at[-1])
    for share, value in zip(QUANTILES, values.quantile(np.array(QUANTILES)), strict=True):
        yield f"q{round(100 * share):02d}", float(value)
