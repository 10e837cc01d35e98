"""Steady measures with intervals: sums over spans and batches of the replays of one family of workloads."""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline.statistics import bootstrap
from pipeline.studies.memory_tiers import STUDY
from pipeline.studies.memory_tiers.scenario import USUAL
from pipeline.studies.memory_tiers.tables import RESULTS
from pipeline.tables import polars_schema

TAKES = ("workload_memory_tiers", "scenario", "span_memory_tiers")
"""Tables of the database that `tables` is made from, in the order of its arguments."""
SUMS = (
    *("jobs", "rejected", "node_s", "useful_node_s", "local_useful_node_s", "response_s", "local_response_s"),
    "wait_s",
)
KEYS = ("scheduler", "local_per_node_gb", "pool_per_node_gb")


def tables(workloads: pl.DataFrame, scenarios: pl.DataFrame, spans: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """`steady_memory_tiers` of the replays with the study's default parameters."""
    usual = [pl.col(name) == STUDY.defaults[name] for name in USUAL]
    rows = (
        scenarios.filter(*usual, pl.col("local_per_node_gb").is_not_null(), ~pl.col("timeline"))
        .join(workloads.select("workload_id", "family", "batch"), on="workload_id")
        .join(spans, on="scenario_id")
        .with_columns(pl.col("jobs", "rejected").cast(pl.Float64))
        .sort("family", *KEYS, "batch", "span")
    )
    names = ("workload", *KEYS)
    steady = [
        _measured(dict(zip(names, key, strict=True)), block.select(SUMS).to_numpy())
        for key, block in rows.group_by("family", *KEYS, maintain_order=True)
    ]
    return {"steady_memory_tiers": pl.DataFrame(steady, schema=polars_schema(RESULTS["steady_memory_tiers"]))}


def _measured(row: dict, blocks: np.ndarray) -> dict:
    jobs, rejected, *_ = total = blocks.sum(axis=0)
    row |= {"blocks": len(blocks), "jobs": int(jobs), "rejected": int(rejected)}
    estimates = _measures(total)
    ends = np.full((2, 2), np.nan)
    if len(blocks) >= bootstrap.FEWEST:
        drawn = _measures(bootstrap.totals(bootstrap.weights(len(blocks)), blocks))
        ends = np.array(bootstrap.interval(np.column_stack([drawn["loss"], drawn["response_ratio"]]), len(blocks)))
    for place, name in enumerate(("loss", "response_ratio")):
        row |= {f"{name}_lo": _value(ends[0, place]), f"{name}_hi": _value(ends[1, place])}
    return row | {name: _value(value) for name, value in estimates.items()}


def _measures(sums: np.ndarray) -> dict[str, np.ndarray]:
    """Measures from sums (…, SUMS)."""
    jobs, _, node_s, useful, local_useful, response, local_response, wait = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {
            "utilisation": np.divide(useful, node_s),
            "loss": 1 - np.divide(useful, local_useful),
            "response_s": np.divide(response, jobs),
            "response_ratio": np.divide(response, local_response),
            "wait_s": np.divide(wait, jobs),
        }


def _value(number: float) -> float | None:
    return float(number) if np.isfinite(number) else None
