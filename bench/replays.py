"""Replays of the studies, tables in and tables out: scenarios a second under every scheduler."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from bench.figures import Figure, alternating, rate
from pipeline.config import Configuration

SWEEPS: dict[str, Callable[[int], dict[str, Any]]] = {
    "hpc_memory": lambda size: {
        "workload": "phased", "jobs": 10 * size, "batches": 2, "memory_per_node_gb": [125.0]
    },
    "pim_ranks": lambda size: {"workload": "sets", "jobs": [24 * size], "batches": 1, "members": 2},
    "gpu_corun": lambda size: {"workload": "drawn", "applications": [16 * size], "batches": 4},
    "gpu_partition": lambda size: {
        "workload": "generated", "tasks": [10 * size], "sets": 4, "utilisation": [6.0], "schedulers": ["bf", "sms"]
    },
    "pim_graph": lambda size: {
        "workload": "stand_in", "graphs": ["amazon"], "scale": size / 100, "algorithms": ["bfs"], "batches": 1
    },
}  # fmt: skip
"""The sweep of each study that is measured, by size."""
SMS = 16

Work = tuple[dict[str, pl.DataFrame], pl.DataFrame]
"""Inputs and scenarios."""


def run(runs: int, scratch: Path, *, tiny: bool) -> Iterator[Figure]:  # noqa: ARG001
    """CPU times of whole replays on one thread."""
    size = 1 if tiny else 10
    for study in (*SWEEPS, "gpu_sharing"):
        inputs, scenarios = _mixes(20 * size) if study == "gpu_sharing" else _swept(study, SWEEPS[study](size))
        replay = importlib.import_module(f"pipeline.studies.{study}").replay
        taken = alternating({"": partial(replay, inputs, scenarios)}, runs)[""]
        yield rate(study, len(scenarios), taken, "scenarios", f"{len(scenarios)} scenarios")


def _swept(study: str, sweep: dict[str, Any]) -> Work:
    """What a study makes of one sweep."""
    others = dict.fromkeys(getattr(Configuration(), study).sweeps)
    config = Configuration.model_validate({study: {"sweeps": others | {"bench": sweep}}})
    module = importlib.import_module(f"pipeline.studies.{study}")
    return module.workloads(config, {}), module.scenarios(config, {})


def _mixes(count: int) -> Work:
    """Mixes of three of four applications whose throughput saturates, under each static policy of Chapter 6."""
    apps = pl.DataFrame({"app": [f"app {k}" for k in range(4)], "half_sms": [2.0, 4, 8, 16], "peak": [1.0, 2, 4, 8]})
    ipc = pl.col("peak") * pl.col("sms") / (pl.col("sms") + pl.col("half_sms"))
    curves = apps.join(pl.DataFrame({"sms": range(1, SMS + 1)}), how="cross").select("app", "sms", ipc=ipc)
    rows = [(f"mix {m}", slot, f"app {(m + slot) % 4}") for m in range(count) for slot in range(3)]
    mixes = pl.DataFrame(rows, schema=["mix_id", "slot", "app"], orient="row")
    policies = ["equal_compute", "equal_throughput", "equal_speedup", "max_fair_throughput", "max_throughput"]
    scenarios = mixes.select("mix_id").unique().join(pl.DataFrame({"scheduler": policies}), how="cross")
    ids = pl.format("{}, {}", "mix_id", "scheduler")
    return {"sm_curves": curves, "mixes": mixes}, scenarios.with_columns(scenario_id=ids, sms=SMS)
