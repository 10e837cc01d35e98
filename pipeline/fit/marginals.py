"""Marginal laws of a trace: nodes, phase length, phases a job, memory (HiPC 2024, Section V-A, Figures 1 and 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from scipy import stats

from pipeline import tables
from pipeline.fit.phases import require

QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)

Cdf = Callable[[np.ndarray], np.ndarray]
Law = Iterator[tuple[str, str, float]]
"""Rows (law, parameter, value) of `tables.Marginal`."""


def fit(jobs: pl.DataFrame, phases: pl.DataFrame) -> pl.DataFrame:
    """Marginal laws C_m, L_m, N_p and X_m of every trace, as rows of `tables.Marginal` sorted by trace and quantity.

    jobs: trace_id, nodes. phases: trace_id, job_id, node, duration_s (s), memory_gb (GB per node); only the rows of
    whole jobs (node null) count, because a replay draws one memory need a phase of a job.

    | quantity       | symbol | values                                                | fitted law               |
    |----------------|--------|-------------------------------------------------------|--------------------------|
    | nodes          | C_m    | a job's nodes                                         | uniform on integers      |
    | phase_length_s | L_m    | a phase's length                                      | lognormal (mu, sigma)    |
    | phases_per_job | N_p    | phases of a job                                       | lognormal (mu, sigma)    |
    | memory_gb      | X_m    | a phase's memory, **weighted by the phase's length**  | beta on [min, max]       |

    The law `empirical` holds count (of jobs or phases), mean, sd (population), min, max and the quantiles q00 … q100
    (smallest value that the share is reached at). The lognormal is fitted by maximum likelihood, the beta by moments;
    `ks` is the Kolmogorov–Smirnov distance between a fitted law and the (weighted) empirical one. A law whose
    parameters the values do not determine (all alike) is left out, and a quantity without values has no rows.
    Raises ValueError for a missing column.
    """
    require(jobs, ["trace_id", "nodes"], "jobs")
    require(phases, ["trace_id", "job_id", "node", "duration_s", "memory_gb"], "phases")
    whole = phases.filter(pl.col("node").is_null())
    rows = []
    traces = pl.concat([jobs["trace_id"].cast(pl.String), whole["trace_id"].cast(pl.String)])
    for trace_id in traces.unique().sort():
        of_trace = whole.filter(pl.col("trace_id") == trace_id)
        nodes = jobs.filter(pl.col("trace_id") == trace_id)["nodes"].drop_nulls().cast(pl.Float64).to_numpy()
        length_s = of_trace["duration_s"].cast(pl.Float64).to_numpy()
        memory_gb = of_trace["memory_gb"].cast(pl.Float64).to_numpy()
        per_job = of_trace.group_by("job_id", maintain_order=True).len()["len"].cast(pl.Float64).to_numpy()
        for quantity, law, values, weights in (
            ("memory_gb", _beta, memory_gb, length_s),
            ("nodes", _uniform, nodes, np.ones_like(nodes)),
            ("phase_length_s", _lognormal, length_s, np.ones_like(length_s)),
            ("phases_per_job", _lognormal, per_job, np.ones_like(per_job)),
        ):
            if values.size:
                laws = [*_empirical(values, weights), *law(values, weights)]
                rows += [(trace_id, quantity, *row, tables.FITTED) for row in laws]
    return pl.DataFrame(rows, schema=tables.polars_schema(tables.Marginal), orient="row")


def ks_distance(values: np.ndarray, weights: np.ndarray, cdf: Cdf, cdf_below: Cdf | None = None) -> float:
    """Kolmogorov–Smirnov distance between weighted values and a law.

    cdf: P(X <= x) of the law; cdf_below: P(X < x), where it differs (discrete laws).
    """
    at, inverse = np.unique(values, return_inverse=True)
    share = np.bincount(inverse, weights=weights)
    reached = np.cumsum(share) / share.sum()
    before = np.append(0.0, reached[:-1])
    below = (cdf_below or cdf)(at)
    return float(max(np.abs(cdf(at) - reached).max(), np.abs(below - before).max()))


def _empirical(values: np.ndarray, weights: np.ndarray) -> Law:
    mean, sd = _moments(values, weights)
    yield "empirical", "count", float(values.size)
    yield "empirical", "mean", mean
    yield "empirical", "sd", sd
    yield "empirical", "min", float(values.min())
    yield "empirical", "max", float(values.max())
    reached = np.quantile(values, QUANTILES, weights=weights, method="inverted_cdf")
    for share, value in zip(QUANTILES, reached, strict=True):
        yield "empirical", f"q{round(100 * share):02d}", float(value)


def _lognormal(values: np.ndarray, weights: np.ndarray) -> Law:
    mu, sigma = _moments(np.log(values), weights)
    if values.min() == values.max():
        return
    yield "lognormal", "mu", mu
    yield "lognormal", "sigma", sigma
    yield "lognormal", "ks", ks_distance(values, weights, stats.lognorm(s=sigma, scale=np.exp(mu)).cdf)


def _beta(values: np.ndarray, weights: np.ndarray) -> Law:
    low, high = float(values.min()), float(values.max())
    if low == high:
        return
    mean, sd = _moments((values - low) / (high - low), weights)
    concentration = mean * (1 - mean) / sd**2 - 1
    # Values at the two ends only leave nothing between them for a beta to spread over.
    if not concentration > 1e-9:
        return
    alpha, beta = mean * concentration, (1 - mean) * concentration
    yield "beta", "alpha", alpha
    yield "beta", "beta", beta
    yield "beta", "min", low
    yield "beta", "max", high
    yield "beta", "ks", ks_distance(values, weights, stats.beta(alpha, beta, loc=low, scale=high - low).cdf)


def _uniform(values: np.ndarray, weights: np.ndarray) -> Law:
    low, high = float(values.min()), float(values.max())
    law = stats.randint(low, high + 1)
    yield "uniform", "min", low
    yield "uniform", "max", high
    yield "uniform", "ks", ks_distance(values, weights, law.cdf, lambda x: law.cdf(x - 1))


def _moments(values: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    mean = np.average(values, weights=weights)
    return float(mean), float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))
