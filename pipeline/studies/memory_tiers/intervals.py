"""Steady measures with intervals: sums over spans and batches of the replays of one family of workloads.

Two schedulers on one machine replayed the same spans, so their difference takes the same draws of spans for both.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from pipeline.statistics import bootstrap
from pipeline.studies.memory_tiers import STUDY
from pipeline.studies.memory_tiers.scenario import USUAL
from pipeline.studies.memory_tiers.tables import RESULTS
from pipeline.tables import polars_schema

TAKES = ("workload_memory_tiers", "scenario", "span_memory_tiers")
"""Tables of the database that `tables` is made from, in the order of its arguments."""
PAIRED = ("utilisation_gain", "response_ratio_change")
SUMS = (
    *("jobs", "rejected", "node_s", "useful_node_s", "local_useful_node_s", "response_s", "local_response_s"),
    "wait_s",
)
STEPS = (
    ("sharing_at_start", "requested_local", "static_pool"),
    ("right_sized_requests", "static_pool", "static_used"),
    ("sharing_while_running", "static_used", "dynamic_pool"),
    ("reconfiguring", "dynamic_pool", "priority"),
)
"""Steps of sharing: the scheduler without and the one with it. requested_local is without a pool."""
KEYS = ("scheduler", "local_per_node_gb", "pool_per_node_gb")


def tables(workloads: pl.DataFrame, scenarios: pl.DataFrame, spans: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """`steady_memory_tiers` and `paired_memory_tiers` of the replays with the study's default parameters."""
    usual = [pl.col(name) == STUDY.defaults[name] for name in USUAL]
    rows = (
        scenarios.filter(*usual, pl.col("local_per_node_gb").is_not_null(), ~pl.col("timeline"))
        .join(workloads.select("workload_id", "family", "batch"), on="workload_id")
        .join(spans, on="scenario_id")
        .with_columns(pl.col("jobs", "rejected").cast(pl.Float64))
        .sort("family", *KEYS, "batch", "span")
    )
    names = ("workload", *KEYS)
    blocks = {key: block.select(SUMS).to_numpy() for key, block in rows.group_by("family", *KEYS, maintain_order=True)}
    steady = [_measured(dict(zip(names, key, strict=True)), sums) for key, sums in blocks.items()]
    return {
        "steady_memory_tiers": pl.DataFrame(steady, schema=polars_schema(RESULTS["steady_memory_tiers"])),
        "paired_memory_tiers": pl.DataFrame(list(_pairs(blocks)), schema=polars_schema(RESULTS["paired_memory_tiers"])),
    }


def _pairs(blocks: dict[tuple, np.ndarray]) -> Iterator[dict]:
    """Differences that each step makes on each machine that both of its schedulers replayed."""
    machines = {key[:-1]: sums for key, sums in blocks.items()}
    for step, without, with_it in STEPS:
        for (workload, scheduler, local, pool), ours in machines.items():
            other = (workload, without, local, 0.0 if without == "requested_local" else pool)
            if scheduler != with_it or other not in machines or len(machines[other]) != len(ours):
                continue
            theirs, ends = machines[other], np.full((2, len(PAIRED)), np.nan)
            if len(ours) >= bootstrap.FEWEST:
                drawn = bootstrap.weights(len(ours))
                differences = _difference(bootstrap.totals(drawn, ours), bootstrap.totals(drawn, theirs))
                ends = np.array(bootstrap.interval(differences, len(ours)))
            row = {"workload": workload, "step": step, "local_per_node_gb": local, "pool_per_node_gb": pool}
            row |= {"blocks": len(ours)}
            values = _difference(ours.sum(axis=0), theirs.sum(axis=0))
            for name, value, lo, hi in zip(PAIRED, values, *ends, strict=True):
                row |= {name: _value(value), f"{name}_lo": _value(lo), f"{name}_hi": _value(hi)}
            yield row


def _difference(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """PAIRED, of sums (…, SUMS): (…, measures)."""
    measures, other = _measures(ours), _measures(theirs)
    return np.stack([measures[name] - other[name] for name in ("utilisation", "response_ratio")], axis=-1)


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
