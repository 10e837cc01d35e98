"""Replays of studies as wholes, tables in and tables out, and how they grow to a hundred times the size."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from bench.measure import alternating
from bench.results import Figure, rates
from bench.settings import Settings
from pipeline.config import Configuration
from pipeline.studies import gpu_corun, gpu_partition, gpu_sharing, hpc_memory, pim_graph, pim_ranks

GROWTH, TINY_GROWTH = (10, 100, 1000), (10, 20)
APPS = 4
CURVES = pl.DataFrame({"app": [f"app {k}" for k in range(APPS)], "half_sms": [2.0, 4, 8, 16], "peak": [1.0, 2, 4, 8]})
"""Throughput saturates: peak n / (n + half_sms) on n SMs."""
SMS = 16
LOAD = 6.0
"""Utilisation of task sets on 68 SMs."""


def _only(study: str, section: str, sweep: Mapping[str, Any]) -> Configuration:
    """The configuration with one sweep of one study."""
    others = dict.fromkeys(getattr(getattr(Configuration(), study), section))
    return Configuration.model_validate({study: {section: others | {"bench": sweep}}})


def _hpc_memory(size: int) -> tuple[dict[str, pl.DataFrame], pl.DataFrame, int]:
    """Batches of so many times 10 jobs with memory phases, every scheduler."""
    sweep = {"workload": "phased", "jobs": 10 * size, "batches": 2, "memory_per_node_gb": [125.0]}
    config = _only("hpc_memory", "sweeps", sweep)
    scenarios = hpc_memory.scenarios(config, {})
    return hpc_memory.workloads(config, {}), scenarios, 10 * size * len(scenarios)


def _pim_ranks(size: int) -> tuple[dict[str, pl.DataFrame], pl.DataFrame, int]:
    """A set of 24 jobs and more, every scheduler that can run it."""
    sweep = {"workload": "sets", "jobs": [24 * size], "batches": 1, "members": 2}
    config = _only("pim_ranks", "sweeps", sweep)
    scenarios = pim_ranks.scenarios(config, {})
    return pim_ranks.workloads(config, {}), scenarios, 24 * size * len(scenarios)


def _gpu_corun(size: int) -> tuple[dict[str, pl.DataFrame], pl.DataFrame, int]:
    """Drawn queues of 16 applications and more, every scheduler."""
    config = _only("gpu_corun", "sweeps", {"workload": "drawn", "applications": [16 * size], "batches": 4})
    scenarios = gpu_corun.scenarios(config, {})
    return gpu_corun.workloads(config, {}), scenarios, 16 * size * len(scenarios)


def _gpu_sharing(size: int) -> tuple[dict[str, pl.DataFrame], pl.DataFrame, int]:
    """Mixes of three applications with saturating curves, each policy, the dynamic ones too."""
    curves = CURVES.join(pl.DataFrame({"sms": range(1, SMS + 1)}), how="cross", maintain_order="left_right")
    ipc = pl.col("peak") * pl.col("sms") / (pl.col("sms") + pl.col("half_sms"))
    mixes = pl.DataFrame(
        [(f"mix {m}", slot, f"app {(m + slot) % APPS}") for m in range(20 * size) for slot in range(3)],
        schema={"mix_id": pl.String, "slot": pl.Int64, "app": pl.String},
        orient="row",
    )
    policies = [name for name in gpu_sharing.SCHEDULERS if name in POLICIES]
    scenarios = (
        mixes.select("mix_id").unique(maintain_order=True)
        .join(pl.DataFrame({"scheduler": policies}), how="cross", maintain_order="left_right")
        .with_columns(scenario_id=pl.format("{}, {}", "mix_id", "scheduler"), sms=pl.lit(SMS))
    )  # fmt: skip
    inputs = {"sm_curves": curves.select("app", "sms", ipc=ipc), "mixes": mixes}
    return inputs, scenarios, 3 * len(scenarios)


def _gpu_partition(size: int) -> tuple[dict[str, pl.DataFrame], pl.DataFrame, int]:
    """Task sets of one load and of so many tasks, both heuristics of the paper."""
    sweep = {"workload": "generated", "tasks": [size], "sets": 4, "utilisation": [LOAD], "schedulers": ["bf", "sms"]}
    config = _only("gpu_partition", "sweeps", sweep)
    scenarios = gpu_partition.scenarios(config, {})
    return gpu_partition.workloads(config, {}), scenarios, size * len(scenarios)


def _pim_graph(size: int) -> tuple[dict[str, pl.DataFrame], pl.DataFrame, int]:
    """BFS of a stand-in of Amazon over eight stacks, every policy; at size 1000 it has 3.4 million edges."""
    sweep = {"workload": "stand_in", "graphs": ["amazon"], "scale": size / 1000, "algorithms": ["bfs"], "batches": 1}
    config = _only("pim_graph", "sweeps", sweep)
    inputs, scenarios = pim_graph.workloads(config, {}), pim_graph.scenarios(config, {})
    return inputs, scenarios, len(inputs["edges"]) * len(scenarios)


POLICIES = ("equal_compute", "equal_throughput", "equal_speedup", "max_fair_throughput", "max_throughput")
STUDIES = {
    "hpc_memory": (hpc_memory.replay, _hpc_memory, "jobs"),
    "pim_ranks": (pim_ranks.replay, _pim_ranks, "jobs"),
    "gpu_corun": (gpu_corun.replay, _gpu_corun, "applications"),
    "gpu_sharing": (gpu_sharing.replay, _gpu_sharing, "applications"),
    "gpu_partition": (gpu_partition.replay, _gpu_partition, "tasks"),
    "pim_graph": (pim_graph.replay, _pim_graph, "edges"),
}

USUALLY = "what a call costs at any size lowers it"
GROWS = {"gpu_partition": "each merge of two partitions tests the unions with all others, on 68 SMs in all"}
"""Why the time of a study grows as it does."""


def run(settings: Settings) -> Iterator[Figure]:
    """CPU times of whole replays, tables in and tables out, one thread; exponents through their medians."""
    for study, (replay, make, items) in STUDIES.items():
        counts, medians = [], []
        for size in settings.size(GROWTH, TINY_GROWTH):
            inputs, scenarios, count = make(size)
            calls = {"": lambda replay=replay, inputs=inputs, scenarios=scenarios: replay(inputs, scenarios)}
            taken = alternating(calls, settings.long_runs, time.process_time)[""]
            counts.append(count)
            medians.append(statistics.median(taken))
            yield rates(f"{study}, size {size}", count, taken, f"{items}/s", f"CPU time; {len(scenarios)} scenarios")
        exponent = np.polyfit(np.log(counts), np.log(medians), 1)[0]
        yield Figure(
            f"{study}, exponent",
            [float(exponent)],
            "1",
            f"time ~ {items} to this power; {GROWS.get(study, USUALLY)}",
        )
