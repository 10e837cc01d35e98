"""A machine and a scheduler as a row of the scenario table."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.studies.memory_tiers import STUDY

BASELINE = "all_local"
"""The scheduler that losses are measured against."""
LOCAL_ALONE = ("requested_local", "requested_spread")
"""Schedulers that leave the pool alone: they are run without one."""
BY_REQUEST = (*LOCAL_ALONE, "static_pool")
"""Schedulers that give a job what it requests, the others what it uses."""

GROWS = "dynamic_pool"
"""The scheduler under which a job may grow beyond what is free."""
OPTIONS = {
    "sensitivity_scale": lambda value: f"-x{value:.12g}",
    "backfilling": lambda value: f"-{value}",
    "reserve_depth": lambda value: f"{value}",
    "growth": lambda value: f"-{value}",
}
"""Parameters that sweeps vary beside the machine, and how an id says that one is not its default."""
USUAL = (*OPTIONS, "alpha", "tau_s")
"""Parameters that are the study's defaults in what answers are made of."""


def row_of(workload: Mapping, scheduler: str, local: float | None, pool: float | None, **options) -> dict:
    """The scenario of a scheduler on a machine; `options`: those of OPTIONS that are not the study's defaults."""
    size = "" if local is None else f"/l{local:.12g}-p{pool:.12g}"
    said = "".join(OPTIONS[name](options[name]) for name in OPTIONS if name in options)
    return STUDY.defaults | {
        "scenario_id": f"memory_tiers/{workload['workload_id']}/{scheduler}{size}{said}",
        "scheduler": scheduler,
        "seed": workload["batch"],
        "workload_id": workload["workload_id"],
        "timeline": False,
        "nodes": workload["nodes"],
        "local_per_node_gb": local,
        "pool_per_node_gb": pool,
        "spans": workload["spans"],
        "keep_outcomes": scheduler == BASELINE,
        **options,
    }
