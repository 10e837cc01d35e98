"""Marginal laws of a trace: nodes, phase length, phases per job, memory (HiPC 2024, Section V-A, Figures 1 and 3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from pipeline import tables
from pipeline.fit import estimators
from pipeline.fit.estimators import Values
from pipeline.fit.levels import Levels
from pipeline.fit.phases import require
from pipeline.fit.whole_jobs import WholeJobs
from pipeline.statistics import laws

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
"""Shares at which a larger distribution is given: the tail is sampled geometrically, since it dominates the mean."""


def fit(jobs: pl.DataFrame, phases: pl.DataFrame) -> pl.DataFrame:
    """Candidate laws of every trace's marginals with their distance, as rows of `tables.Marginal`.

    jobs: trace, job_id, nodes. phases: as for `WholeJobs.append`, rows in any order; only those of whole jobs count,
    because a replay draws one memory need a phase of a job. The quantities are those of `quantities`; one without
    values has no rows. Sorted by trace and quantity. Raises ValueError for a missing column.
    """
    with WholeJobs.of(phases) as whole:
        frames = [laws_of(*quantity) for quantity in quantities([jobs], whole)]
    return pl.concat([tables.empty(tables.Marginal), *frames])


def distributions(jobs: pl.DataFrame, phases: pl.DataFrame) -> pl.DataFrame:
    """Empirical distribution functions of the same quantities, as rows of `tables.Distribution`.

    jobs and phases as for `fit`. Sorted by trace, quantity and value.
    """
    with WholeJobs.of(phases) as whole:
        frames = [points_of(*quantity) for quantity in quantities([jobs], whole)]
    return pl.concat([tables.empty(tables.Distribution), *frames])


def laws_of(trace_id: str, quantity: str, values: Values) -> pl.DataFrame:
    """Candidate laws of one quantity, as rows of `tables.Marginal`.

    The law `empirical` holds count (of jobs or phases), mean, sd (population), min, max and the quantiles q00 … q100
    (smallest value that the share is reached at). Every other law (`CANDIDATES`) has its parameters
    (`laws.PARAMETERS`), `ks`, the Kolmogorov–Smirnov distance to the (weighted) empirical one, and `count`; `best`
    marks the rows of the one with the smallest distance. A law whose parameters the values do not determine is left out
    (values all alike have the law `constant`).
    """
    rows = [(trace_id, quantity, "empirical", *row, False, tables.FITTED) for row in _empirical(values)]
    fitted = {}
    for law in CANDIDATES[quantity]:
        parameters = getattr(estimators, law)(values)
        if parameters is not None:
            distance = values.ks_distance(laws.build(law, parameters))
            fitted[law] = parameters | {"ks": distance, "count": float(values.count)}
    best = min(fitted, key=lambda law: fitted[law]["ks"])
    for law, estimates in fitted.items():
        rows += [(trace_id, quantity, law, *row, law == best, tables.FITTED) for row in estimates.items()]
    return pl.DataFrame(rows, schema=tables.polars_schema(tables.Marginal), orient="row")


def points_of(trace_id: str, quantity: str, values: Values) -> pl.DataFrame:
    """Empirical distribution function of one quantity, as rows of `tables.Distribution`.

    At most `POINTS` rows: all distinct values where they are no more, otherwise the smallest values that `SHARES` are
    reached at, the least and the largest value among them. What stands in a row is exact: `share` is P(X <= value).
    """
    exact = values.at.size <= POINTS
    at = np.arange(values.at.size) if exact else np.unique(values.index(SHARES))
    rows = pl.DataFrame({"value": values.at[at], "share": values.reached[at]}).with_columns(
        trace=pl.lit(trace_id), quantity=pl.lit(quantity), exact=pl.lit(exact), origin=pl.lit(tables.FITTED)
    )
    return tables.conform(rows, tables.Distribution)


def quantities(jobs: Iterable[pl.DataFrame], whole: WholeJobs) -> Iterator[tuple[str, str, Values]]:
    """Trace, quantity and values of every marginal that has any, sorted by both.

    | quantity               | symbol | values                                                                |
    |------------------------|--------|-----------------------------------------------------------------------|
    | nodes                  | C_m    | a job's nodes                                                         |
    | phase_length_s         | L_m    | a phase's length                                                      |
    | phases_per_job         | N_p    | phases of a job                                                       |
    | memory_gb              |        | a phase's memory, **weighted by the phase's length**                  |
    | memory_by_node_time_gb | X_m    | the same weighted by node-seconds, length times nodes: Figure 1       |

    jobs: pieces of a table with trace, job_id, nodes. A job of which only the phases are known counts as one node in
    the last one. Phases are read batch by batch; of more distinct values than `levels.MOST` neighbours are one.
    """
    gathered: defaultdict[str, _Gathered] = defaultdict(_Gathered)
    nodes = _nodes(jobs, whole, gathered)
    of_job = whole.jobs
    for number, trace_id in enumerate(whole.traces):
        per_job = of_job.filter(pl.col("trace_number") == number)["phases"].cast(pl.Float64).to_numpy()
        gathered[trace_id].phases_per_job.add(per_job)
    for batch in whole.batches():
        for number in np.unique(batch.trace):
            in_trace = batch.trace == number
            length_s, of_trace = batch.duration_s[in_trace], gathered[whole.traces[number]]
            of_trace.phase_length_s.add(length_s)
            of_trace.memory_gb.add(batch.memory_gb[in_trace], length_s, length_s * nodes[batch.job[in_trace]])
    for trace_id in sorted(gathered):
        of_trace = gathered[trace_id]
        for quantity, levels, weighting in (
            ("memory_by_node_time_gb", of_trace.memory_gb, 1),
            ("memory_gb", of_trace.memory_gb, 0),
            ("nodes", of_trace.nodes, 0),
            ("phase_length_s", of_trace.phase_length_s, 0),
            ("phases_per_job", of_trace.phases_per_job, 0),
        ):
            if levels.count:
                yield trace_id, quantity, Values.of_levels(levels.at, levels.weight[weighting], levels.count)


class _Gathered:
    """Values of one trace."""

    def __init__(self) -> None:
        self.memory_gb = Levels(2)
        self.nodes, self.phase_length_s, self.phases_per_job = Levels(), Levels(), Levels()


def _nodes(jobs: Iterable[pl.DataFrame], whole: WholeJobs, gathered: dict[str, _Gathered]) -> np.ndarray:
    """Nodes of the jobs that have phases, by number; those of all jobs are gathered by trace."""
    nodes = np.ones(whole.jobs.height, np.uint32)
    for table in jobs:
        require(table, ["trace", "job_id", "nodes"], "jobs")
        known = table.select("trace", "job_id", "nodes").drop_nulls("nodes")
        for (trace_id,), of_trace in known.group_by("trace", maintain_order=True):
            gathered[trace_id].nodes.add(of_trace["nodes"].cast(pl.Float64).to_numpy())
        with_phases = whole.find(known)
        nodes[with_phases["job"].to_numpy()] = with_phases["nodes"].to_numpy()
    return nodes


def _empirical(values: Values) -> Iterator[tuple[str, float]]:
    yield "count", float(values.count)
    yield "mean", values.mean
    yield "sd", values.sd
    yield "min", float(values.at[0])
    yield "max", float(values.at[-1])
    for share, value in zip(QUANTILES, values.quantile(np.array(QUANTILES)), strict=True):
        yield f"q{round(100 * share):02d}", float(value)
